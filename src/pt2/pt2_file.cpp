#include "opwright/pt2/pt2_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/base/thread_state.h"
#include "opwright/device.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/program/export/export_session.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/signature.h"
#include "opwright/program/file/mapped_file.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/archive/archive_layout.h"
#include "opwright/pt2/archive/archive_tensors.h"
#include "opwright/pt2/archive/call_tree.h"
#include "opwright/pt2/archive/program_json.h"
#include "opwright/pt2/archive/size_text.h"
#include "opwright/pt2/archive/symbol_ranges.h"
#include "opwright/pt2/container/json.h"
#include "opwright/pt2/container/zip_archive.h"
#include "opwright/pt2/replay/replay.h"
#include "opwright/runtime/program.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"
#include "opwright/value.h"

namespace opwright {
namespace pt2 {
namespace {

// The folder that has everything, "model/", and the name of the program in it.
struct Layout {
  std::string root;
  std::string model;
};

// Archives of PyTorch that have no program to read.
void refuse_other_kinds(const ZipArchive& archive) {
  const auto has_entry = [&](std::string_view part) {
    return std::ranges::any_of(archive.entries(), [&](const ZipEntry& entry) {
      return entry.name.find(part) != std::string_view::npos;
    });
  };
  OPWRIGHT_CHECK_KIND("NotImplementedError", !has_entry("serialized_exported_program.json"),
                      archive.origin(),
                      ": an archive of torch 2.7 or older, whose weights are "
                      "pickled; export the program again with torch 2.9 to 2.13");
  OPWRIGHT_CHECK_KIND("NotImplementedError", !has_entry("data/aotinductor/"), archive.origin(),
                      ": a package of AOTInductor, which has machine code and no program; save the "
                      "exported program with torch.export.save");
  OPWRIGHT_CHECK_KIND(
      "NotImplementedError", !has_entry("data.pkl"), archive.origin(),
      ": a file of torch.save or torch.jit.save, which is a pickle, and pickles are "
      "never read; save a program with torch.export.save");
}

// Behind the first '/', as for torch.
size_t root_bytes(std::string_view name) { return name.find('/') + 1; }

// "<root>/models/<name>.json"; not "<root>/extra/models/notes.json".
bool is_model(std::string_view name) {
  const std::string_view place = name.substr(root_bytes(name));
  return root_bytes(name) > 0 && place.starts_with(kModels) && place.ends_with(kJson) &&
         place.find('/', kModels.size()) == std::string_view::npos;
}

Layout find_layout(const ZipArchive& archive) {
  std::vector<std::string_view> models;
  for (const ZipEntry& entry : archive.entries()) {
    if (is_model(entry.name)) models.push_back(entry.name);
  }
  if (models.empty()) refuse_other_kinds(archive);
  OPWRIGHT_CHECK_VALUE(!models.empty(), archive.origin(),
                       ": not an archive of torch.export.save: it has no entry models/<name>.json");
  OPWRIGHT_CHECK_KIND("NotImplementedError", models.size() == 1, archive.origin(),
                      ": the archive has ", models.size(),
                      " programs; save each to a file of its own");
  const std::string_view name = models.front();
  const size_t root = root_bytes(name);
  const size_t begin = root + kModels.size();
  return {.root = std::string(name.substr(0, root)),
          .model = std::string(name.substr(begin, name.size() - begin - kJson.size()))};
}

void check_text(const ZipArchive& archive, const std::string& name, std::string_view wanted) {
  if (!archive.find(name)) return;
  const std::string_view found = archive.read(name);
  OPWRIGHT_CHECK_KIND("NotImplementedError", found == wanted, archive.origin(), ": ", name, " is '",
                      found, "', supported is '", wanted, "'");
}

JsonValue read_json(const ZipArchive& archive, const std::string& name) {
  return parse_json(archive.read(name), archive.origin() + ", " + name);
}

// One archive while it becomes a program.
class Loader {
 public:
  Loader(ArchiveBytes file, const std::string& path)
      : path_(path),
        file_(std::move(file)),
        archive_(file_.bytes, path),
        layout_(find_layout(archive_)) {
    for (const FixedEntry& entry : kFixedEntries)
      check_text(archive_, concatenate(layout_.root, entry.name), entry.text);
    const std::string name = concatenate(layout_.root, kModels, layout_.model, kJson);
    program_ = read_archive_program(read_json(archive_, name), path_ + ", " + name);
    ranges_ = find_symbol_ranges(program_.ranges, path_ + ", " + name);
    weights_ = read_tensors(kWeights);
    constants_ = read_tensors(kConstants);
  }

  ExportedProgramPtr load() {
    read_structure();
    // torch may accept sizes that operators here do not, or have written conditions into the graph.
    session_.accept_narrower_sizes();
    for (const ArchiveInput& input : program_.inputs) {
      if (input.kind != ArchiveInputKind::User && input.kind != ArchiveInputKind::Constant)
        add_state(input);
    }
    size_t path = 0;
    for (const ArchiveInput& input : program_.inputs) {
      if (is_user(input) && !is_none(input)) add_user_input(input, trees_.input_paths[path++]);
    }
    const std::vector<Tensor> own = session_.enter();
    for (size_t i = 0; i < own.size(); ++i)
      values_.insert_or_assign(tensor_inputs_[i], Value(own[i]));
    std::vector<Value> outputs;
    {
      const InterpreterScope scope(session_.level());
      replay(program_.graph, values_);
      outputs = take_outputs();
    }
    std::vector<OpwValue> given;
    given.reserve(outputs.size());
    for (const Value& output : outputs) given.push_back(output.get());
    return session_.finish(given, trees_.structure);
  }

 private:
  static bool is_user(const ArchiveInput& input) {
    return input.kind == ArchiveInputKind::User || input.kind == ArchiveInputKind::Constant;
  }
  static bool is_none(const ArchiveInput& input) {
    return std::holds_alternative<std::monostate>(input.value);
  }

  TensorsByName read_tensors(const TensorFolder& place) {
    const std::string name = concatenate(layout_.root, place.path, layout_.model, place.config);
    const std::string pickle = concatenate(layout_.root, place.path, layout_.model, ".pt");
    OPWRIGHT_CHECK_KIND("NotImplementedError", !archive_.find(pickle), path_, ": the tensors of '",
                        pickle,
                        "' are pickled, as torch 2.8 and older write them, and pickles are "
                        "never read; export the program again with torch 2.9 to 2.13");
    if (!archive_.find(name)) return {};
    return make_archive_tensors(archive_, concatenate(layout_.root, place.path),
                                read_payloads(read_json(archive_, name), path_ + ", " + name),
                                file_);
  }

  void read_structure() {
    std::vector<char> is_none_input;
    std::vector<char> is_none_output;
    for (const ArchiveInput& input : program_.inputs) {
      if (is_user(input)) is_none_input.push_back(is_none(input) ? 1 : 0);
    }
    for (const ArchiveOutput& output : program_.outputs) {
      if (output.kind != ArchiveOutputKind::User) continue;
      for (const Element& element : output.value.elements)
        is_none_output.push_back(std::holds_alternative<std::monostate>(element) ? 1 : 0);
    }
    trees_ = read_call_trees(program_, is_none_input, is_none_output, path_);
  }

  void add_state(const ArchiveInput& input) {
    const bool is_constant = input.kind == ArchiveInputKind::TensorConstant ||
                             (input.kind == ArchiveInputKind::Buffer && !input.is_persistent);
    const TensorsByName& tensors = is_constant ? constants_ : weights_;
    const auto found = tensors.find(input.target);
    OPWRIGHT_CHECK_VALUE(found != tensors.end(), path_, ": the archive has no tensor for '",
                         input.target, "'");
    if (input.kind == ArchiveInputKind::TensorConstant) {
      session_.name_constant(found->second, input.target);
    } else {
      session_.add_state(
          {.name = input.target, .tensor = found->second},
          input.kind == ArchiveInputKind::Parameter ? InputKind::Parameter : InputKind::Buffer,
          input.is_persistent);
    }
    if (const auto* name = std::get_if<ValueName>(&input.value))
      values_.insert_or_assign(name->name, Value(found->second));
  }

  void add_user_input(const ArchiveInput& input, const std::string& target) {
    const auto* name = std::get_if<ValueName>(&input.value);
    if (!name) return session_.add_constant(value_of(input.value, values_), target);
    if (const auto tensor = program_.graph.tensors.find(name->name);
        tensor != program_.graph.tensors.end()) {
      add_tensor(tensor->second, target);
      tensor_inputs_.push_back(name->name);
      return;
    }
    const auto number = program_.graph.ints.find(name->name);
    OPWRIGHT_CHECK_VALUE(number != program_.graph.ints.end(), path_, ": the input '", target,
                         "' is neither a tensor nor an int");
    const Sized sized = dim_of(number->second, target);
    values_.insert_or_assign(name->name, Value(session_.add_int(sized.example, target, sized.dim)));
  }

  struct Sized {
    int64_t example;
    Dim dim;
  };
  // What the archive states of a size: a number, a symbol in its range, or linear in one.
  Sized dim_of(const WrittenSize& size, const std::string& target) const {
    if (size.expression.empty()) return {.example = size.number, .dim = Dim()};
    const LinearSize linear = read_linear_size(size.expression, path_ + ", input '" + target + "'");
    if (linear.symbol.empty()) return {.example = linear.offset, .dim = Dim()};
    const auto found = ranges_.find(linear.symbol);
    const WrittenRange range = found == ranges_.end() ? WrittenRange() : found->second;
    const Dim symbol = Dim::named(linear.symbol, range.least, range.greatest);
    const bool is_plain = linear.factor == 1 && linear.offset == 0;
    const int64_t example =
        size.has_hint ? size.number : linear.at(range.least.value_or(kLeastOfAnExport));
    return {.example = example,
            .dim = is_plain ? symbol : symbol.times(linear.factor).plus(linear.offset)};
  }

  // The session needs only a shape.
  void add_tensor(const WrittenTensor& tensor, const std::string& target) {
    std::vector<int64_t> sizes;
    std::vector<ExportSession::DimAt> dims;
    for (size_t i = 0; i < tensor.sizes.size(); ++i) {
      Sized sized = dim_of(tensor.sizes[i], target);
      OPWRIGHT_CHECK_VALUE(sized.example >= 0, path_, ": the input '", target, "' has the size ",
                           sized.example);
      sizes.push_back(sized.example);
      if (sized.dim.kind() != Dim::Kind::Static)
        dims.push_back({.dim = static_cast<int64_t>(i), .size = std::move(sized.dim)});
    }
    session_.add_tensor(make_fake(sizes, tensor.dtype, tensor.device), target, dims);
  }

  // Writes of a functional graph happen at its end, in order; its user outputs follow.
  std::vector<Value> take_outputs() {
    std::vector<Value> outputs;
    for (const ArchiveOutput& output : program_.outputs) {
      for (const Element& element : output.value.elements) {
        Value value = value_of(element, values_);
        if (output.kind == ArchiveOutputKind::User) {
          if (!value.is_none()) outputs.push_back(std::move(value));
        } else {
          write(output, value);
        }
      }
    }
    return outputs;
  }

  void write(const ArchiveOutput& output, const Value& value) const {
    const auto written = std::ranges::find_if(program_.inputs, [&](const ArchiveInput& input) {
      const auto* name = std::get_if<ValueName>(&input.value);
      return output.kind == ArchiveOutputKind::InputMutation
                 ? name && input.kind == ArchiveInputKind::User && name->name == output.target
                 : !is_user(input) && input.target == output.target;
    });
    OPWRIGHT_CHECK_VALUE(written != program_.inputs.end() && value.tag() == kOpwTensor, path_,
                         ": the output that writes '", output.target, "' names no input");
    const Value target = value_of(written->value, values_);
    Tensor::borrow(target.get().as_tensor).copy_(Tensor::borrow(value.get().as_tensor));
  }

  const std::string& path_;
  ArchiveBytes file_;
  ZipArchive archive_;
  Layout layout_;
  ArchiveProgram program_;
  SymbolRanges ranges_;
  TensorsByName weights_;
  TensorsByName constants_;
  CallTrees trees_;
  ExportSession session_;
  GraphValues values_;
  std::vector<std::string> tensor_inputs_;  // names in the graph, in the order of the session
};

// Errors of operators do not name the archive; those of the session name a call of `export`.
[[noreturn]] void rethrow_with_origin(Error& error, const std::string& origin) {
  constexpr std::string_view kSession = "export: ";
  const std::string_view text = error.text();
  if (text.starts_with(kSession))
    throw_error(error.kind(), origin, ": ", text.substr(kSession.size()));
  if (error.message().find(origin) == std::string::npos) error.add_note("archive", "in " + origin);
  throw;
}

// The program is the same whatever the caller's grad mode, autocast and transforms are. An archive
// may state counts that no memory can hold.
ExportedProgramPtr load(const ArchiveBytes& file, const std::string& origin) {
  ThreadState state{};
  state.instance = thread_state().instance;
  const ThreadStateScope scope(state);
  try {
    return Loader(file, origin).load();
  } catch (Error& error) {
    rethrow_with_origin(error, origin);
  } catch (const std::bad_alloc&) {
    throw_error("MemoryError", origin, ": the program needs more memory than there is");
  } catch (const std::length_error&) {
    throw_error("MemoryError", origin, ": the program needs more memory than there is");
  }
}

}  // namespace
}  // namespace pt2

ExportedProgramPtr load_pt2(const std::string& path) {
  const auto file = make_intrusive<MappedFile>(path);
  return pt2::load({.bytes = file->bytes(), .mapping = file}, path);
}

ExportedProgramPtr read_pt2(std::string_view bytes, const std::string& origin) {
  return pt2::load({.bytes = bytes, .mapping = nullptr}, origin);
}

}  // namespace opwright
