#include "opwright/pt2/archive/archive_program.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/signature.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/archive/call_tree_writer.h"
#include "opwright/pt2/archive/constant_element.h"
#include "opwright/pt2/archive/graph_writer.h"
#include "opwright/schema/constant.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"

namespace opwright::pt2 {
namespace {

// A name of Python for a path: "batch[\"mask\"]" is batch_mask.
std::string identifier(std::string_view target) {
  std::string name;
  for (const char c : target) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (is_letter || (c >= '0' && c <= '9' && !name.empty())) {
      name.push_back(c);
    } else if (!name.empty() && name.back() != '_') {
      name.push_back('_');
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.empty() ? "constant" : name;
}

class ProgramWriter {
 public:
  explicit ProgramWriter(const ExportedProgram& program)
      : program_(program),
        graph_(program.graph()),
        state_(graph_.shape_env().get()),
        calls_(graph_, state_) {}

  ArchiveProgram write() {
    write_structure();
    write_inputs();
    calls_.write_requirements();
    replace_mutations();
    calls_.write_calls();
    calls_.write_requirements(true);
    write_outputs();
    write_ranges();
    result_.graph = std::move(calls_.result());
    result_.has_writes = state_.has_writes;
    return std::move(result_);
  }

 private:
  [[nodiscard]] const GraphValue& value(const std::string& name) const {
    const GraphValue* found = graph_.find(name);
    OPWRIGHT_CHECK_VALUE(found, "save: the program has no value '", name, "'");
    return *found;
  }

  // ---- Structure, inputs, outputs ----

  void write_structure() {
    std::vector<std::string> targets;
    size_t num_results = 0;
    for (const InputSpec& input : program_.signature().inputs) {
      if (input.kind == InputKind::UserInput) targets.push_back(identifier(input.target));
    }
    for (const OutputSpec& output : program_.signature().outputs)
      num_results += output.kind == OutputKind::UserOutput ? 1 : 0;
    call_ = write_call_trees(program_.structure(), targets, num_results);
    result_.arguments = call_.arguments.json;
    result_.results = call_.results.json;
    result_.argument_names = call_.argument_names;
  }

  void add_input(ArchiveInput input) {
    calls_.result().inputs.push_back(single_argument(input.value));
    result_.inputs.push_back(std::move(input));
  }
  // The leaves that are None come before the input at `leaf`, which moves past it.
  void add_none_inputs(size_t& leaf) {
    const std::vector<char>& is_none = call_.arguments.is_none;
    for (; leaf < is_none.size() && is_none[leaf] != 0; ++leaf) {
      add_input({.kind = ArchiveInputKind::Constant,
                 .value = std::monostate(),
                 .target = calls_.names().make("none")});
    }
    ++leaf;
  }

  void write_inputs() {
    size_t leaf = 0;
    for (const InputSpec& spec : program_.signature().inputs) {
      if (spec.kind == InputKind::RandomState) continue;  // PyTorch's calls have it implicitly
      if (spec.kind == InputKind::UserInput) add_none_inputs(leaf);
      if (spec.value.empty()) {
        add_input({.kind = ArchiveInputKind::Constant,
                   .value = constant_input(spec),
                   .target = calls_.names().make(identifier(spec.target))});
        continue;
      }
      const GraphValue& given = value(spec.value);
      add_input({.kind = input_kind(spec),
                 .value = calls_.element_of(given),
                 .target = spec.kind == InputKind::UserInput ? std::string() : spec.target,
                 .is_persistent = spec.is_persistent});
      calls_.bind_input(given);
    }
    add_none_inputs(leaf);
    OPWRIGHT_CHECK_VALUE(leaf == call_.arguments.is_none.size() + 1,
                         "save: the structure of the call does not have the program's inputs");
  }
  static Element constant_input(const InputSpec& spec) {
    const std::optional<Element> element = constant_element(spec.constant.get());
    const bool is_kept =
        element && (is_number_or_none(*element) || std::holds_alternative<std::string>(*element));
    OPWRIGHT_CHECK_KIND("NotImplementedError", is_kept, "save: the input '", spec.target, "' is ",
                        value_text(spec.constant.get()),
                        "; PyTorch's archives have only numbers, strings and None as constants of "
                        "the call");
    return *element;
  }
  static ArchiveInputKind input_kind(const InputSpec& spec) {
    switch (spec.kind) {
      case InputKind::UserInput:
        return ArchiveInputKind::User;
      case InputKind::Parameter:
        return ArchiveInputKind::Parameter;
      case InputKind::Buffer:
        return ArchiveInputKind::Buffer;
      default:
        return ArchiveInputKind::TensorConstant;
    }
  }

  void write_outputs() {
    size_t leaf = 0;
    const auto add_none = [&] {
      const std::vector<char>& is_none = call_.results.is_none;
      for (; leaf < is_none.size() && is_none[leaf] != 0; ++leaf)
        add_output(ArchiveOutputKind::User, std::monostate(), {});
      ++leaf;
    };
    for (const OutputSpec& spec : program_.signature().outputs) {
      if (spec.kind == OutputKind::UserOutput) {
        add_none();
        add_output(ArchiveOutputKind::User, output_element(spec), {});
      } else {
        const ArchiveOutputKind kind =
            spec.kind == OutputKind::BufferMutation      ? ArchiveOutputKind::BufferMutation
            : spec.kind == OutputKind::ParameterMutation ? ArchiveOutputKind::ParameterMutation
                                                         : ArchiveOutputKind::InputMutation;
        add_output(kind, mutated_element(spec), spec.target);
      }
    }
    add_none();
  }
  void add_output(ArchiveOutputKind kind, Element element, const std::string& target) {
    calls_.result().outputs.push_back(single_argument(element));
    result_.outputs.push_back(
        {.kind = kind, .value = single_argument(std::move(element)), .target = target});
  }
  Element output_element(const OutputSpec& spec) {
    if (spec.value.empty()) {
      const std::optional<Element> element = constant_element(spec.constant.get());
      OPWRIGHT_CHECK_KIND("NotImplementedError", element && is_number_or_none(*element),
                          "save: the program returns the constant ",
                          value_text(spec.constant.get()),
                          "; PyTorch's archives have only numbers and None as constant results");
      return *element;
    }
    if (const GraphValue* found = graph_.find(spec.value)) return calls_.element_of(*found);
    return calls_.sizes().element(state_.env->parse(spec.value), calls_.result());
  }
  // What an input is set to; copy_ also converts and expands.
  Element mutated_element(const OutputSpec& spec) {
    const GraphValue& source = value(spec.value);
    const Tensor target = mutated_tensor(spec);
    const Tensor tensor = source.tensor();
    Element element = calls_.element_of(source);
    WrittenTensor meta = calls_.describe(tensor);
    if (tensor.dtype() != target.dtype()) {
      meta.dtype = target.dtype();
      element = calls_.add_call(
          "torch.ops.aten.to.dtype",
          {single_argument(std::move(element), "self"), single_argument(target.dtype(), "dtype")},
          spec.value, meta);
    }
    const SymGeometry wanted = sym_geometry_of(target);
    const bool is_same =
        std::ranges::equal(wanted.sizes, sym_geometry_of(tensor).sizes,
                           [](const SymInt& a, const SymInt& b) { return a.word() == b.word(); });
    if (!is_same) {
      WrittenArgument sizes{.name = "size", .is_list = true, .elements = {}};
      for (const SymInt& size : wanted.sizes)
        sizes.elements.push_back(calls_.sizes().element(size, calls_.result()));
      meta.sizes = calls_.describe(target).sizes;
      meta.strides.insert(meta.strides.begin(), meta.sizes.size() - meta.strides.size(),
                          WrittenSize{});
      element = calls_.add_call("torch.ops.aten.expand.default",
                                {single_argument(std::move(element), "self"), std::move(sizes)},
                                spec.value, meta);
    }
    return element;
  }
  [[nodiscard]] Tensor mutated_tensor(const OutputSpec& spec) const {
    const auto written =
        std::ranges::find_if(program_.signature().inputs, [&](const InputSpec& input) {
          const bool is_user = input.kind == InputKind::UserInput;
          return (is_user ? input.value : input.target) == spec.target &&
                 is_user == (spec.kind == OutputKind::UserInputMutation);
        });
    OPWRIGHT_CHECK_VALUE(written != program_.signature().inputs.end(), "save: the program writes '",
                         spec.target, "', which it does not have as an input");
    return value(written->value).tensor();
  }

  void write_ranges() {
    for (const Symbol& symbol : state_.text.symbols()) {
      if (symbol.equals) continue;
      // As declared: what calls require is in assertions.
      const SymRange declared = made_range(state_.env->symbol(symbol.name).word());
      WrittenRange range;
      if (declared.least != INT64_MIN) range.least = declared.least;
      if (declared.greatest != INT64_MAX) range.greatest = declared.greatest;
      result_.ranges.emplace(state_.text.name_of(symbol), range);
    }
  }

  // A write of an input at the end of the graph: its signature states it.
  void replace_mutations() {
    static const Operator& copy = Registry::get().require("aten::copy_");
    const auto& inputs = program_.signature().inputs;
    for (const Node* node = graph_.first(); node; node = node->next()) {
      if (node->kind() != NodeKind::Call || &node->op() != &copy) continue;
      if (node->args()[1].kind() != NodeArgument::Kind::Value) continue;
      const std::string& written = node->args()[0].value().name();
      if (std::ranges::find(inputs, written, &InputSpec::value) != inputs.end())
        calls_.replace(*node, node->args()[1].value());
    }
  }

  const ExportedProgram& program_;
  const Graph& graph_;
  WriterState state_;
  GraphWriter calls_;
  WrittenCall call_;
  ArchiveProgram result_;
};

std::vector<WrittenSize> plain_numbers(std::span<const SymInt> numbers) {
  std::vector<WrittenSize> written;
  for (const SymInt& number : numbers)
    written.push_back({.number = number.word(), .expression = {}});
  return written;
}

}  // namespace

ArchiveProgram make_archive_program(const ExportedProgram& program) {
  return ProgramWriter(program).write();
}

WrittenTensor describe_tensor(const Tensor& tensor) {
  const SymGeometry geometry = sym_geometry_of(tensor);
  return {.dtype = tensor.dtype(),
          .sizes = plain_numbers(geometry.sizes),
          .strides = plain_numbers(geometry.strides),
          .offset = {.number = geometry.offset.word(), .expression = {}},
          .device = tensor.device(),
          .requires_grad = tensor.requires_grad()};
}

}  // namespace opwright::pt2
