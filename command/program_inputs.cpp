#include "command/program_inputs.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command/named_files.h"
#include "command/npy_file.h"
#include "command/option_reader.h"
#include "command/options.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program_api/call_spec.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::command {
namespace {

Value read_input(const ValueSpec& spec, const std::string& text) {
  if (spec.tag != kOpwTensor) {
    const int64_t number = parse_int(concatenate("input '", spec.name, "'"), text);
    return Value(number);
  }
  const Tensor tensor = read_npy(text, spec.dtype);
  OPWRIGHT_CHECK_TYPE(tensor.dtype() == spec.dtype, "input '", spec.name, "' must be ", spec.dtype,
                      ", ", text, " has ", tensor.dtype(), "; save it by array.astype('",
                      spec.dtype, "')");
  return Value(tensor);
}

// The values of the program's symbols in this run.
class SymbolChoice {
 public:
  explicit SymbolChoice(const ExportedProgram& program) : env_(program.graph().shape_env().get()) {}

  void set_from_options(std::span<const std::string> sizes) {
    for (const std::string& given : sizes) {
      const size_t equals = given.rfind('=');
      if (equals == std::string::npos)
        throw UsageError(concatenate("--size is NAME=NUMBER, got '", given, "'"));
      const std::string name = given.substr(0, equals);
      if (!is_symbol(name))
        throw_error("ValueError", "the program has no size called '", name, "'; it has ",
                    list_symbols());
      values_[name] = parse_int("--size " + name, given.substr(equals + 1));
    }
  }

  // Takes sizes from a given input.
  void learn(const ValueSpec& spec, const OpwValue& value) {
    if (value.tag != kOpwTensor) return;
    const Tensor tensor = Tensor::borrow(value.as_tensor);
    if (tensor.dim() != static_cast<int64_t>(spec.sizes.size())) return;
    for (size_t dim = 0; dim < spec.sizes.size(); ++dim) {
      const std::string text = concatenate(spec.sizes[dim].size);
      if (is_symbol(text)) values_.try_emplace(text, tensor.size(static_cast<int64_t>(dim)));
    }
  }

  // The chosen value, otherwise the exported one, otherwise the least admitted.
  int64_t size_of(const ValueSpec::Size& size) {
    if (!size.size.is_symbolic()) return size.size.word();
    for (const Symbol& symbol : env_->symbols()) {
      values_.try_emplace(symbol.name, symbol.hint.value_or(symbol.range.least));
    }
    return substitute(*env_, size.size, values_).specialise();
  }

 private:
  [[nodiscard]] std::vector<Symbol> symbols() const {
    return env_ ? env_->symbols() : std::vector<Symbol>();
  }
  [[nodiscard]] bool is_symbol(const std::string& name) const {
    for (const Symbol& symbol : symbols()) {
      if (symbol.name == name) return true;
    }
    return false;
  }
  [[nodiscard]] std::string list_symbols() const {
    std::string names;
    for (const Symbol& symbol : symbols()) {
      names.append(names.empty() ? "" : ", ").append(symbol.name);
    }
    return names.empty() ? "none" : names;
  }

  const ShapeEnv* env_;
  SymbolValues values_;
};

Value random_input(const ValueSpec& spec, SymbolChoice& choice) {
  std::vector<SymInt> sizes;
  for (const ValueSpec::Size& size : spec.sizes) sizes.emplace_back(choice.size_of(size));
  const bool is_real = is_floating(spec.dtype) || is_complex(spec.dtype);
  const Tensor drawn = is_real ? randn(sizes) : randint(2, sizes);
  return Value(_to_copy(drawn, spec.dtype));
}

}  // namespace

std::vector<Value> make_inputs(const ExportedProgram& program, const CallSpec& call,
                               const RunOptions& options) {
  std::vector<std::optional<Value>> found(call.inputs.size());
  SymbolChoice choice(program);
  choice.set_from_options(options.sizes);
  for (const NamedText& named : match_names("input", options.inputs, call.inputs)) {
    const ValueSpec& spec = call.inputs[named.place];
    found[named.place] = read_input(spec, named.text);
    choice.learn(spec, found[named.place]->get());
  }
  std::vector<Value> inputs;
  for (size_t i = 0; i < found.size(); ++i) {
    const ValueSpec& spec = call.inputs[i];
    const bool can_draw = options.fills_randomly && spec.tag == kOpwTensor;
    if (!found[i] && !can_draw)
      throw_error("ValueError", "input '", spec.name, "' is missing: --input ", spec.name, "=",
                  spec.tag == kOpwTensor ? "FILE.npy, or --random" : "NUMBER");
    inputs.push_back(found[i] ? *found[i] : random_input(spec, choice));
  }
  return inputs;
}

}  // namespace opwright::command
