// Writes archives for torch.export.load.
#include <algorithm>
#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/file_replacement.h"
#include "opwright/error.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/signature.h"
#include "opwright/program/file/program_text.h"
#include "opwright/program/file/tensor_blocks.h"
#include "opwright/program/file/utf8.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/archive/archive_layout.h"
#include "opwright/pt2/archive/archive_program.h"
#include "opwright/pt2/archive/program_json.h"
#include "opwright/pt2/container/json.h"
#include "opwright/pt2/container/zip_image.h"
#include "opwright/pt2/pt2_file.h"
#include "opwright/tensor.h"

namespace opwright {
namespace pt2 {
namespace {

constexpr std::string_view kModel = "model";  // the name that torch.export.save gives

// Refers to the program's memory, which must not change.
class Pt2Image {
 public:
  Pt2Image(const ExportedProgram& program, std::string_view root)
      : program_(program), root_(concatenate(root, "/")) {
    std::string model = to_text(write_archive_program(make_archive_program(program)));
    add_tensors(kWeights, program.state(), weights_);
    add_tensors(kConstants, program.constants(), constants_);
    add_text(concatenate(kModels, kModel, kJson), std::move(model));
    // torch reads this entry: empty, there are none.
    add_text(concatenate("data/sample_inputs/", kModel, ".pt"), {});
    for (const FixedEntry& entry : kFixedEntries)
      add_text(std::string(entry.name), std::string(entry.text));
    add_text(".data/version", "6\n");  // of the container
  }

  template <class Visit>
  void visit_parts(const Visit& visit) const {
    zip_.visit_parts(visit);
  }

 private:
  void add_text(const std::string& name, std::string text) {
    zip_.add(root_ + name, texts_.emplace_back(std::move(text)));
  }

  void add_tensors(const TensorFolder& folder, std::span<const NamedTensor> tensors,
                   TensorBlocks& blocks) {
    std::vector<size_t> numbers;
    numbers.reserve(tensors.size());
    for (const NamedTensor& named : tensors)
      numbers.push_back(blocks.add(named.tensor, concatenate("'", named.name, "'")));
    (void)blocks.place();
    const auto entry_name = [&](size_t block) { return concatenate(folder.prefix, block); };
    for (size_t i = 0; i < blocks.blocks().size(); ++i) {
      zip_.add(concatenate(root_, folder.path, entry_name(i)), blocks.bytes(i));
    }
    check_dtypes(tensors, numbers, blocks);
    std::vector<WrittenPayload> payloads;
    for (size_t i = 0; i < tensors.size(); ++i) {
      const StoredTensor& stored = blocks.tensors()[numbers[i]];
      payloads.push_back({.name = tensors[i].name,
                          .path = entry_name(stored.block),
                          .tensor = describe_tensor(stored.meta),
                          .is_parameter = is_parameter(tensors[i])});
    }
    add_text(concatenate(folder.path, kModel, folder.config), to_text(write_payloads(payloads)));
  }
  // torch gives all tensors of an entry the dtype of its first one.
  static void check_dtypes(std::span<const NamedTensor> tensors, const std::vector<size_t>& numbers,
                           const TensorBlocks& blocks) {
    std::vector<const NamedTensor*> first(blocks.blocks().size());
    for (size_t i = 0; i < tensors.size(); ++i) {
      const NamedTensor*& other = first[blocks.tensors()[numbers[i]].block];
      if (!other) other = &tensors[i];
      OPWRIGHT_CHECK_VALUE(other->tensor.dtype() == tensors[i].tensor.dtype(), "save: '",
                           other->name, "' and '", tensors[i].name,
                           "' share memory but not their dtype, which PyTorch's archives cannot "
                           "hold; clone() one of them");
    }
  }
  // A tensor of the state that the graph does not use is one if it has gradients.
  [[nodiscard]] bool is_parameter(const NamedTensor& named) const {
    const std::vector<InputSpec>& inputs = program_.signature().inputs;
    const auto found = std::ranges::find_if(inputs, [&](const InputSpec& input) {
      return input.kind != InputKind::UserInput && input.target == named.name;
    });
    return found == inputs.end() ? named.tensor.requires_grad()
                                 : found->kind == InputKind::Parameter;
  }

  const ExportedProgram& program_;
  std::string root_;
  TensorBlocks weights_;
  TensorBlocks constants_;
  std::deque<std::string> texts_;
  ZipImage zip_;
};

constexpr std::string_view kPlainRoot = "archive";

// "net" of "models/net.pt2": torch names the folder of an archive so. Another name for one that no
// folder of an archive may have, as of ".pt2".
std::string_view root_of(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  const std::string_view stem = path.substr(0, path.rfind('.'));
  const bool is_folder = stem.find_first_not_of('.') != std::string_view::npos &&
                         stem.find('\\') == std::string_view::npos && is_utf8(stem);
  return is_folder ? stem : kPlainRoot;
}

}  // namespace
}  // namespace pt2

void save_pt2(const ExportedProgram& program, const std::string& path) {
  const pt2::Pt2Image image(program, pt2::root_of(path));
  FileReplacement file(path);
  image.visit_parts([&](std::string_view part) { file.write(part); });
  file.commit();
}

std::string write_pt2(const ExportedProgram& program) {
  std::string bytes;
  const pt2::Pt2Image image(program, pt2::kPlainRoot);
  image.visit_parts([&](std::string_view part) { bytes.append(part); });
  return bytes;
}

}  // namespace opwright
