#include "opwright/pt2/archive/archive_program.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program/export/signature.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/archive/call_tree_writer.h"
#include "opwright/pt2/archive/operator_target.h"
#include "opwright/pt2/archive/size_nodes.h"
#include "opwright/pt2/archive/size_text.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/schema.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/functionalize/functional_sibling.h"
#include "opwright/value.h"

namespace opwright::pt2 {
namespace {

constexpr std::string_view kOwnNamespace = "opwright";

// As Python prints the line of a stack trace; the reader finds the line in it.
std::string trace_of(SourceSite site) {
  if (!site.is_known()) return {};
  return concatenate("File \"", site.file, "\", line ", site.line, ", in forward");
}

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
        env_(graph_.shape_env().get()),
        text_(env_),
        names_(graph_),
        sizes_(env_, text_, names_) {}

  ArchiveProgram write() {
    write_structure();
    write_inputs();
    write_assertions(result_.graph);
    for (const Node* node = graph_.first(); node; node = node->next()) {
      if (node->kind() != NodeKind::Call || note_mutation(*node)) continue;
      if (node->grad_mode()) {
        write_node(*node, result_.graph);
      } else {
        node = write_without_grad(*node);
      }
    }
    write_outputs();
    write_ranges();
    return std::move(result_);
  }

 private:
  // ---- Values ----

  [[nodiscard]] const GraphValue& value(const std::string& name) const {
    const GraphValue* found = graph_.find(name);
    OPWRIGHT_CHECK_VALUE(found, "save: the program has no value '", name, "'");
    return *found;
  }
  // States what a value is, in the graph that has it.
  void declare(const GraphValue& value, ArchiveGraph& graph) const {
    if (const Tensor tensor = value.tensor(); tensor.is_defined()) {
      graph.tensors.insert_or_assign(value.name(), describe(tensor));
    } else {
      const SymInt number = ValueOf<SymInt>::read(value.meta().get());
      graph.ints.insert_or_assign(value.name(), sizes_.written(number));
    }
  }
  [[nodiscard]] WrittenTensor describe(const Tensor& tensor) const {
    const SymGeometry geometry = sym_geometry_of(tensor);
    WrittenTensor written{.dtype = tensor.dtype(),
                          .sizes = {},
                          .strides = {},
                          .offset = sizes_.written(geometry.offset),
                          .device = tensor.device(),
                          .requires_grad = tensor.requires_grad()};
    for (const SymInt& size : geometry.sizes) written.sizes.push_back(sizes_.written(size));
    for (const SymInt& stride : geometry.strides) written.strides.push_back(sizes_.written(stride));
    return written;
  }
  [[nodiscard]] Element element_of(const GraphValue& value) const {
    // A write at the end of the graph gives the value that it writes.
    const auto written = replaced_.find(value.name());
    if (written != replaced_.end()) return element_of(*written->second);
    const bool is_tensor = value.tensor().is_defined();
    return ValueName{.name = value.name(), .kind = is_tensor ? NamedKind::Tensor : NamedKind::Int};
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
    result_.graph.inputs.push_back(single_argument(input.value));
    result_.inputs.push_back(std::move(input));
  }
  // The leaves that are None come before the input at `leaf`, which moves past it.
  void add_none_inputs(size_t& leaf) {
    const std::vector<char>& is_none = call_.arguments.is_none;
    for (; leaf < is_none.size() && is_none[leaf] != 0; ++leaf) {
      add_input({.kind = ArchiveInputKind::Constant,
                 .value = std::monostate(),
                 .target = names_.make("none")});
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
                   .target = names_.make(identifier(spec.target))});
        continue;
      }
      const GraphValue& given = value(spec.value);
      add_input({.kind = input_kind(spec),
                 .value = element_of(given),
                 .target = spec.kind == InputKind::UserInput ? std::string() : spec.target,
                 .is_persistent = spec.is_persistent});
      declare(given, result_.graph);
      sizes_.bind(given);
    }
    add_none_inputs(leaf);
    OPWRIGHT_CHECK_VALUE(leaf == call_.arguments.is_none.size() + 1,
                         "save: the structure of the call does not have the program's inputs");
  }
  static Element constant_input(const InputSpec& spec) {
    const std::optional<Element> element = plain_element(spec.constant.get());
    const bool is_kept =
        element && (is_number(*element) || std::holds_alternative<std::string>(*element));
    OPWRIGHT_CHECK_KIND("NotImplementedError", is_kept, "save: the input '", spec.target, "' is ",
                        value_text(spec.constant.get()),
                        "; PyTorch's archives have only numbers, strings and None as constants of "
                        "the call");
    return *element;
  }
  // Or None.
  static bool is_number(const Element& element) {
    return std::holds_alternative<std::monostate>(element) ||
           std::holds_alternative<int64_t>(element) || std::holds_alternative<double>(element) ||
           std::holds_alternative<bool>(element);
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
    result_.graph.outputs.push_back(single_argument(element));
    result_.outputs.push_back(
        {.kind = kind, .value = single_argument(std::move(element)), .target = target});
  }
  Element output_element(const OutputSpec& spec) {
    if (spec.value.empty()) {
      const std::optional<Element> element = plain_element(spec.constant.get());
      OPWRIGHT_CHECK_KIND("NotImplementedError", element && is_number(*element),
                          "save: the program returns the constant ",
                          value_text(spec.constant.get()),
                          "; PyTorch's archives have only numbers and None as constant results");
      return *element;
    }
    if (const GraphValue* found = graph_.find(spec.value)) return element_of(*found);
    return sizes_.element(env_->parse(spec.value), result_.graph);
  }
  // What an input is set to; copy_ also converts and expands.
  Element mutated_element(const OutputSpec& spec) {
    const GraphValue& source = value(spec.value);
    const Tensor target = mutated_tensor(spec);
    const Tensor tensor = source.tensor();
    Element element = element_of(source);
    WrittenTensor meta = describe(tensor);
    if (tensor.dtype() != target.dtype()) {
      meta.dtype = target.dtype();
      element = add_conversion("torch.ops.aten.to.dtype", "dtype", single_argument(target.dtype()),
                               std::move(element), spec.value, meta);
    }
    const SymGeometry wanted = sym_geometry_of(target);
    const bool is_same =
        std::ranges::equal(wanted.sizes, sym_geometry_of(tensor).sizes,
                           [](const SymInt& a, const SymInt& b) { return a.word() == b.word(); });
    if (!is_same) {
      WrittenArgument sizes{.name = {}, .is_list = true, .elements = {}};
      for (const SymInt& size : wanted.sizes)
        sizes.elements.push_back(sizes_.element(size, result_.graph));
      meta.sizes = describe(target).sizes;
      meta.strides.insert(meta.strides.begin(), meta.sizes.size() - meta.strides.size(),
                          WrittenSize{});
      element = add_conversion("torch.ops.aten.expand.default", "size", std::move(sizes),
                               std::move(element), spec.value, meta);
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
  Element add_conversion(const char* target, const char* argument, WrittenArgument wanted,
                         Element element, const std::string& base, const WrittenTensor& meta) {
    const std::string name = names_.make(base);
    result_.graph.tensors.emplace(name, meta);
    wanted.name = argument;
    result_.graph.nodes.push_back(
        {.target = target,
         .name = name,
         .inputs = {single_argument(std::move(element), "self"), std::move(wanted)},
         .outputs = {single_argument(ValueName{.name = name})},
         .stack_trace = {}});
    return ValueName{.name = name};
  }

  void write_ranges() {
    for (const Symbol& symbol : text_.symbols()) {
      if (symbol.equals) continue;
      // As declared: what calls require is in assertions.
      const SymRange declared = made_range(env_->symbol(symbol.name).word());
      WrittenRange range;
      if (declared.least != INT64_MIN) range.least = declared.least;
      if (declared.greatest != INT64_MAX) range.greatest = declared.greatest;
      result_.ranges.emplace(text_.name_of(symbol), range);
    }
  }

  // ---- Assertions ----

  // The conditions whose sizes are known by now, in the order in which they were required, so that
  // a reader that runs the graph knows them before the calls that rely on them.
  void write_assertions(ArchiveGraph& graph) {
    if (!env_) return;
    for (const std::span<const Guard> guards = env_->guards();
         num_guards_ < guards.size() && sizes_.has_symbols_of(guards[num_guards_].condition);
         ++num_guards_) {
      const Guard& guard = guards[num_guards_];
      write_assertion(guard.condition, concatenate("the sizes must satisfy ", guard.condition),
                      guard.user, guard.asked, graph);
    }
    for (const std::span<const RuntimeAssert> asserts = env_->runtime_asserts();
         num_asserts_ < asserts.size() && sizes_.has_symbols_of(asserts[num_asserts_].condition);
         ++num_asserts_) {
      const RuntimeAssert& each = asserts[num_asserts_];
      write_assertion(each.condition, each.message, each.user, each.asked, graph);
    }
  }
  void write_assertion(const SymInt& condition, std::string message, SourceSite user,
                       SourceSite asked, ArchiveGraph& graph) {
    // Inputs have the size that replaced a symbol, and torch compares it.
    const std::vector<std::string> symbols = env_->free_symbols(condition);
    const bool is_stated = std::ranges::any_of(
        symbols, [&](const std::string& name) { return text_.symbol(name).equals.has_value(); });
    if (!condition.is_symbolic() || is_stated) return;
    graph.nodes.push_back({.target = "torch.ops.aten._assert_scalar.default",
                           .name = names_.make("_assert_scalar_default"),
                           .inputs = {single_argument(sizes_.element(condition, graph), "self"),
                                      single_argument(std::move(message), "assert_msg")},
                           .outputs = {},
                           .stack_trace = trace_of(user),
                           .asked = trace_of(asked)});
  }

  // ---- Nodes ----

  // A write of an input at the end of the graph: its signature states it.
  bool note_mutation(const Node& node) {
    static const Operator& copy = Registry::get().require("aten::copy_");
    if (&node.op() != &copy || node.args()[1].kind() != NodeArgument::Kind::Value) return false;
    const std::string& written = node.args()[0].value().name();
    const auto& inputs = program_.signature().inputs;
    if (std::ranges::find(inputs, written, &InputSpec::value) == inputs.end()) return false;
    replaced_.emplace(node.values()[0].name(), &node.args()[1].value());
    return true;
  }

  void write_node(const Node& node, ArchiveGraph& graph) {
    const Operator* origin = find_sibling_origin(node.op());
    const Operator& op = origin ? *origin : node.op();
    const opwright::OperatorName& name = op.schema().name;
    OPWRIGHT_CHECK_KIND("NotImplementedError", name.name_space != kOwnNamespace,
                        "save: the operator ", op.name(),
                        " is Opwright's own, PyTorch does not have it; in ", node_text(node),
                        "\n  Save the program as .opw, or export it without that operator.");
    OPWRIGHT_CHECK_KIND("NotImplementedError", !op.schema().is_vararg && !op.schema().is_varret,
                        "save: the operator ", op.name(),
                        " takes any number of values, which PyTorch's archives do not have");
    result_.has_writes |= op.writes_arguments();
    ArchiveNode written{.target = target_of_operator(name),
                        .name = {},
                        .inputs = write_arguments(node, op, graph),
                        .outputs = {},
                        .stack_trace = trace_of(node.site())};
    std::vector<const NodeResult*> results = plain_results(node, op);
    for (const Return& returned : op.schema().returns) {
      if (origin && returned.is_written()) {
        written.outputs.push_back(unused_output(node, graph));
      } else {
        written.outputs.push_back(output_of(node, *results.front()));
        results.erase(results.begin());
      }
    }
    const bool is_single = written.outputs.size() == 1 && !written.outputs[0].is_list &&
                           std::holds_alternative<ValueName>(written.outputs[0].elements.at(0));
    // torch renames a call that has the name of a function of Python.
    written.name = is_single ? std::get<ValueName>(written.outputs[0].elements[0]).name
                             : names_.make(name.base + "_results");
    graph.nodes.push_back(std::move(written));
    for (const GraphValue& each : node.values()) {
      declare(each, graph);
      sizes_.bind(each);
    }
    write_assertions(graph);
  }
  [[nodiscard]] WrittenArgument output_of(const Node& node, const NodeResult& result) const {
    WrittenArgument output{.name = {}, .is_list = result.is_list, .elements = {}};
    for (uint32_t i = 0; i < result.count; ++i)
      output.elements.push_back(element_of(node.values()[result.first + i]));
    if (!result.is_list && result.count == 0) output.elements.emplace_back(std::monostate());
    return output;
  }
  // A result that is the written argument itself, which has a name already.
  WrittenArgument unused_output(const Node& node, ArchiveGraph& graph) {
    const std::string name = names_.make(node.op().schema().name.base + "_written");
    graph.tensors.emplace(name, describe(node.values()[0].tensor()));
    return single_argument(ValueName{.name = name});
  }
  // Those of a functional sibling that are not the new values of written arguments come first.
  static std::vector<const NodeResult*> plain_results(const Node& node, const Operator& op) {
    const bool is_sibling = &op != &node.op();
    std::vector<const NodeResult*> results;
    for (const Return& returned : op.schema().returns) {
      if (!is_sibling || !returned.is_written()) results.push_back(&node.results()[results.size()]);
    }
    return results;
  }

  // Without those equal to their defaults; what follows one is given by name. `op` may write
  // arguments or draw numbers, and the node call its functional sibling: then the writes happen to
  // clones, which have the names of the sibling's new values.
  std::vector<WrittenArgument> write_arguments(const Node& node, const Operator& op,
                                               ArchiveGraph& graph) {
    const std::vector<Argument>& given = node.op().schema().arguments;
    std::vector<WrittenArgument> inputs;
    bool by_name = false;
    size_t next_written = plain_results(node, op).size();
    for (const Argument& declared : op.schema().arguments) {
      const auto place = std::ranges::find(given, declared.name, &Argument::name) - given.begin();
      const auto index = static_cast<size_t>(place);
      const bool is_written = declared.is_written() && &op != &node.op();
      // A sibling has no argument for the generator.
      if (index == given.size() || (!is_written && is_default(node.args()[index], declared))) {
        by_name = true;
        continue;
      }
      WrittenArgument argument = write_argument(node, declared, node.args()[index], graph);
      if (is_written)
        argument = clone_of(node, declared, std::move(argument), next_written++, graph);
      argument.name = declared.name;
      argument.is_keyword = by_name || declared.is_keyword_only;
      inputs.push_back(std::move(argument));
    }
    return inputs;
  }
  WrittenArgument clone_of(const Node& node, const Argument& declared, WrittenArgument argument,
                           size_t result, ArchiveGraph& graph) {
    const NodeResult& written = node.results()[result];
    if (argument.is_list || written.is_list)
      refuse_argument(node, declared, "a list that the operator writes");
    if (written.count == 0) return argument;  // None
    const GraphValue& value = node.values()[written.first];
    argument.name = "self";
    graph.nodes.push_back({.target = "torch.ops.aten.clone.default",
                           .name = value.name(),
                           .inputs = {std::move(argument)},
                           .outputs = {single_argument(element_of(value))},
                           .stack_trace = trace_of(node.site())});
    return single_argument(element_of(value));
  }
  WrittenArgument write_argument(const Node& node, const Argument& declared,
                                 const NodeArgument& argument, ArchiveGraph& graph) {
    const OpwValue& constant = argument.constant().get();
    WrittenArgument written;
    if (argument.kind() == NodeArgument::Kind::List) {
      written.is_list = true;
      for (const NodeArgument& each : argument.elements())
        written.elements.push_back(write_element(node, declared, each, graph));
    } else if (argument.kind() == NodeArgument::Kind::Constant && is_list_tag(constant.tag)) {
      written.is_list = true;
      for (uint32_t i = 0; i < constant.length; ++i) {
        written.elements.push_back(
            constant_element(node, declared, list_element(constant, i), graph));
      }
    } else {
      written.elements.push_back(write_element(node, declared, argument, graph));
    }
    return written;
  }
  Element write_element(const Node& node, const Argument& declared, const NodeArgument& argument,
                        ArchiveGraph& graph) {
    if (argument.kind() == NodeArgument::Kind::Value) return element_of(argument.value());
    if (argument.kind() == NodeArgument::Kind::Constant)
      return constant_element(node, declared, argument.constant().get(), graph);
    refuse_argument(node, declared, "a list of lists");
  }
  Element constant_element(const Node& node, const Argument& declared, const OpwValue& value,
                           ArchiveGraph& graph) {
    if (value.tag == kOpwSymInt && is_symbolic(value.as_int))
      return sizes_.element(SymInt::borrow(value.as_int), graph);
    if (std::optional<Element> element = plain_element(value)) return *std::move(element);
    refuse_argument(node, declared, value_text(value));
  }
  [[noreturn]] static void refuse_argument(const Node& node, const Argument& declared,
                                           std::string_view what) {
    throw_error("NotImplementedError", "save: the argument '", declared.name, "' of ",
                node.op().name(), " is ", what, ", which PyTorch's archives cannot hold; in ",
                node_text(node));
  }

  // The element for a constant; nullopt for one that archives do not have.
  static std::optional<Element> plain_element(const OpwValue& value) {
    switch (value.tag) {
      case kOpwNone:
        return Element(std::monostate());
      case kOpwInt:
      case kOpwSymInt:
        if (is_symbolic(value.as_int)) return std::nullopt;
        return Element(value.as_int);
      case kOpwFloat:
        return Element(value.as_double);
      case kOpwBool:
        return Element(value.as_int != 0);
      case kOpwComplex:
        return Element(ComplexNumber{.real = value.as_doubles[0], .imag = value.as_doubles[1]});
      case kOpwString:
        return Element(std::string(ValueOf<std::string_view>::read(value)));
      case kOpwDtype:
        return Element(DType(ValueOf<DType>::read(value)));
      case kOpwDeviceValue:
        return Element(Device(ValueOf<Device>::read(value)));
      case kOpwMemoryFormat:
        return Element(MemoryFormat(ValueOf<MemoryFormat>::read(value)));
      case kOpwLayout:
        return Element(Layout(ValueOf<Layout>::read(value)));
      default:
        return std::nullopt;
    }
  }

  // ---- Calls without gradients ----

  // PyTorch has a graph of its own for calls under no_grad. Writes the calls from `first` to the
  // next one with gradients, and returns the last of them.
  const Node* write_without_grad(const Node& first) {
    auto inner = std::make_shared<ArchiveGraph>();
    inner->name = names_.make("submod");
    const SizeNodes::Known outer = sizes_.known();
    std::set<const Node*> members;
    const Node* last = &first;
    for (const Node* node = &first; node; node = node->next()) {
      if (node->kind() != NodeKind::Call || node->grad_mode() || note_mutation(*node)) break;
      write_node(*node, *inner);
      members.insert(node);
      last = node;
    }
    sizes_.restore(outer);

    ArchiveNode call{.target = concatenate(kHigherOrder, "wrap_with_set_grad_enabled"),
                     .name = names_.make("wrap_with_set_grad_enabled"),
                     .inputs = {single_argument(false)},
                     .outputs = {},
                     .stack_trace = {}};
    std::vector<WrittenArgument> given = outer_values(*inner);
    for (const Node* node : in_order(first, *last)) {
      for (const GraphValue& each : node->values()) {
        if (!is_used_outside(each, members)) continue;
        inner->outputs.push_back(single_argument(element_of(each)));
        call.outputs.push_back(single_argument(element_of(each)));
        declare(each, result_.graph);
      }
    }
    inner->inputs = given;
    call.inputs.push_back(single_argument(std::shared_ptr<const ArchiveGraph>(std::move(inner))));
    std::ranges::move(given, std::back_inserter(call.inputs));
    if (!call.outputs.empty()) result_.graph.nodes.push_back(std::move(call));
    return last;
  }
  static std::vector<const Node*> in_order(const Node& first, const Node& last) {
    std::vector<const Node*> nodes = {&first};
    while (nodes.back() != &last) nodes.push_back(nodes.back()->next());
    return nodes;
  }
  // Also if it shows the value of a symbol, which any later call may need.
  [[nodiscard]] bool is_used_outside(const GraphValue& value,
                                     const std::set<const Node*>& members) const {
    return sizes_.binds(value) || std::ranges::any_of(value.users(), [&](const Node* user) {
             return !members.contains(user);
           });
  }
  // The values of a sub-graph that its nodes do not compute; the sub-graph gets their metadata.
  [[nodiscard]] std::vector<WrittenArgument> outer_values(ArchiveGraph& inner) const {
    std::set<std::string> computed;
    std::vector<WrittenArgument> found;
    for (const ArchiveNode& node : inner.nodes) {
      for (const WrittenArgument& input : node.inputs) {
        for (const Element& element : input.elements) {
          const auto* name = std::get_if<ValueName>(&element);
          if (!name || !computed.insert(name->name).second) continue;
          found.push_back(single_argument(*name));
          copy_metadata(name->name, inner);
        }
      }
      for (const WrittenArgument& output : node.outputs) {
        for (const Element& element : output.elements) {
          if (const auto* name = std::get_if<ValueName>(&element)) computed.insert(name->name);
        }
      }
    }
    return found;
  }
  void copy_metadata(const std::string& name, ArchiveGraph& inner) const {
    const ArchiveGraph& outer = result_.graph;
    if (const auto found = outer.tensors.find(name); found != outer.tensors.end())
      inner.tensors.insert(*found);
    if (const auto found = outer.ints.find(name); found != outer.ints.end())
      inner.ints.insert(*found);
    if (const auto found = outer.bools.find(name); found != outer.bools.end())
      inner.bools.insert(*found);
  }

  const ExportedProgram& program_;
  const Graph& graph_;
  const ShapeEnv* env_;
  SizeText text_;
  ValueNames names_;
  SizeNodes sizes_;
  WrittenCall call_;
  ArchiveProgram result_;
  std::unordered_map<std::string, const GraphValue*> replaced_;
  size_t num_guards_ = 0;
  size_t num_asserts_ = 0;
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
