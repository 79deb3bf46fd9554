#include "opwright/pt2/archive/graph_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/base/source_site.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/operator.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/ir/passes/effects.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/archive/constant_element.h"
#include "opwright/pt2/archive/operator_target.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/schema.h"
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

[[noreturn]] void refuse_argument(const Node& node, const Argument& declared,
                                  std::string_view what) {
  throw_error("NotImplementedError", "save: the argument '", declared.name, "' of ",
              node.op().name(), " is ", what, ", which PyTorch's archives cannot hold; in ",
              node_text(node));
}

// Those of a functional sibling that are not the new values of written arguments come first.
std::vector<const NodeResult*> plain_results(const Node& node, const Operator& op) {
  const bool is_sibling = &op != &node.op();
  std::vector<const NodeResult*> results;
  for (const Return& returned : op.schema().returns) {
    if (!is_sibling || !returned.is_written()) results.push_back(&node.results()[results.size()]);
  }
  return results;
}

// What the functional sibling of `op` gives for a written argument that `op` returns; null for
// None.
const GraphValue* new_value(const Node& node, const Operator& op, const Return& returned) {
  size_t place = plain_results(node, op).size();
  for (const Argument& each : op.schema().arguments) {
    if (!each.is_written()) continue;
    const NodeResult& result = node.results()[place++];
    if (each.alias == returned.alias)
      return result.count > 0 ? &node.values()[result.first] : nullptr;
  }
  return nullptr;
}

}  // namespace

WriterState::WriterState(const ShapeEnv* environment) : env(environment), text(environment) {
  if (!env) return;
  for (const Guard& guard : env->guards()) {
    guards.push_back({.condition = guard.condition,
                      .message = concatenate("the sizes must satisfy ", guard.condition),
                      .user = guard.user,
                      .asked = guard.asked});
  }
  for (const RuntimeAssert& each : env->runtime_asserts()) {
    asserts.push_back({.condition = each.condition,
                       .message = each.message,
                       .user = each.user,
                       .asked = each.asked});
  }
}

GraphWriter::GraphWriter(const Graph& graph, WriterState& state, const GraphWriter* outer,
                         bool grad_mode)
    : graph_(graph),
      state_(state),
      outer_(outer),
      grad_mode_(grad_mode),
      names_(graph),
      sizes_(state.env, state.text, names_) {}

void GraphWriter::replace(const Node& call, const GraphValue& value) {
  replaced_.emplace(call.values()[0].name(), &value);
  skipped_.insert(&call);
}

void GraphWriter::bind_input(const GraphValue& value) {
  declare(value, result_);
  sizes_.bind(value);
}

void GraphWriter::write_calls() {
  for (const Node* node = graph_.first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call || skipped_.contains(node)) continue;
    if (node->grad_mode() == grad_mode_) {
      write_node(*node, result_);
    } else {
      node = write_region(*node);
    }
  }
}

// ---- Values ----

void GraphWriter::declare(const GraphValue& value, ArchiveGraph& graph) const {
  if (const Tensor tensor = value.tensor(); tensor.is_defined()) {
    graph.tensors.insert_or_assign(value.name(), describe(tensor));
  } else {
    const SymInt number = ValueOf<SymInt>::read(value.meta().get());
    graph.ints.insert_or_assign(value.name(), sizes_.written(number));
  }
}

WrittenTensor GraphWriter::describe(const Tensor& tensor) const {
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

Element GraphWriter::element_of(const GraphValue& value) const {
  const auto replaced = replaced_.find(value.name());
  if (replaced != replaced_.end()) return element_of(*replaced->second);
  const bool is_tensor = value.tensor().is_defined();
  return ValueName{.name = value.name(), .kind = is_tensor ? NamedKind::Tensor : NamedKind::Int};
}

Element GraphWriter::add_call(std::string_view target, std::vector<WrittenArgument> inputs,
                              std::string_view base, WrittenTensor meta, ArchiveGraph& graph) {
  const std::string name = names_.make(base);
  graph.tensors.emplace(name, std::move(meta));
  graph.nodes.push_back({.target = std::string(target),
                         .name = name,
                         .inputs = std::move(inputs),
                         .outputs = {single_argument(ValueName{.name = name})},
                         .stack_trace = {}});
  return ValueName{.name = name};
}

// ---- Requirements ----

bool GraphWriter::is_known_outside(const SymInt& condition) const {
  return outer_ &&
         (outer_->sizes_.has_symbols_of(condition) || outer_->is_known_outside(condition));
}

void GraphWriter::write_requirements(ArchiveGraph& graph, bool all) {
  for (std::vector<WriterState::Requirement>* requirements : {&state_.guards, &state_.asserts}) {
    for (WriterState::Requirement& each : *requirements) {
      if (each.is_written) continue;
      if (!sizes_.has_symbols_of(each.condition)) {
        // One of a graph inside of this one does not wait for those of its outer graphs. In the
        // order in which they were required, a reader that runs the graph knows them before the
        // calls that rely on them.
        if (all || outer_) continue;
        break;
      }
      if (is_known_outside(each.condition)) continue;
      each.is_written = true;
      write_assertion(each, graph);
    }
  }
}

void GraphWriter::write_assertion(const WriterState::Requirement& required, ArchiveGraph& graph) {
  // Inputs have the size that replaced a symbol, and torch compares it.
  const std::vector<std::string> symbols = state_.env->free_symbols(required.condition);
  const bool is_stated = std::ranges::any_of(symbols, [&](const std::string& name) {
    return state_.text.symbol(name).equals.has_value();
  });
  if (!required.condition.is_symbolic() || is_stated) return;
  graph.nodes.push_back(
      {.target = "torch.ops.aten._assert_scalar.default",
       .name = names_.make("_assert_scalar_default"),
       .inputs = {single_argument(sizes_.element(required.condition, graph), "self"),
                  single_argument(required.message, "assert_msg")},
       .outputs = {},
       .stack_trace = trace_of(required.user),
       .asked = trace_of(required.asked)});
}

// ---- Calls ----

void GraphWriter::write_node(const Node& node, ArchiveGraph& graph) {
  ArchiveNode call = has_sub_graph(node) ? make_control_flow(node, graph) : make_call(node, graph);
  call.stack_trace = trace_of(node.site());
  graph.nodes.push_back(std::move(call));
  bool has_new_symbols = false;
  for (const GraphValue& each : node.values()) {
    declare(each, graph);
    has_new_symbols |= sizes_.bind(each);
  }
  if (has_new_symbols || has_sub_graph(node)) write_requirements(graph, false);
}

ArchiveNode GraphWriter::make_call(const Node& node, ArchiveGraph& graph) {
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
  state_.has_writes |= op.writes_arguments();
  ArchiveNode call{.target = target_of_operator(name),
                   .name = {},
                   .inputs = write_arguments(node, op, graph),
                   .outputs = {},
                   .stack_trace = {}};
  std::vector<const NodeResult*> results = plain_results(node, op);
  for (const Return& returned : op.schema().returns) {
    if (origin && returned.is_written()) {
      call.outputs.push_back(unused_output(node, new_value(node, op, returned), graph));
    } else {
      call.outputs.push_back(output_of(node, *results.front()));
      results.erase(results.begin());
    }
  }
  const bool is_single = call.outputs.size() == 1 && !call.outputs[0].is_list &&
                         std::holds_alternative<ValueName>(call.outputs[0].elements.at(0));
  // torch renames a call that has the name of a function of Python.
  call.name = is_single ? std::get<ValueName>(call.outputs[0].elements[0]).name
                        : names_.make(name.base + "_results");
  return call;
}

WrittenArgument GraphWriter::output_of(const Node& node, const NodeResult& result) const {
  WrittenArgument output{.name = {}, .is_list = result.is_list, .elements = {}};
  for (uint32_t i = 0; i < result.count; ++i)
    output.elements.push_back(element_of(node.values()[result.first + i]));
  if (!result.is_list && result.count == 0) output.elements.emplace_back(std::monostate());
  return output;
}

// A result that is the written argument itself, which has a name already.
WrittenArgument GraphWriter::unused_output(const Node& node, const GraphValue* written,
                                           ArchiveGraph& graph) {
  if (!written) return single_argument(std::monostate());
  const std::string name = names_.make(node.op().schema().name.base + "_written");
  graph.tensors.emplace(name, describe(written->tensor()));
  return single_argument(ValueName{.name = name});
}

// ---- Arguments ----

// Without those equal to their defaults; what follows one is given by name. `op` may write
// arguments or draw numbers, and the node call its functional sibling: then the writes happen to
// clones, which have the names of the sibling's new values.
std::vector<WrittenArgument> GraphWriter::write_arguments(const Node& node, const Operator& op,
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
    if (is_written) argument = clone_of(node, declared, std::move(argument), next_written++, graph);
    argument.name = declared.name;
    argument.is_keyword = by_name || declared.is_keyword_only;
    inputs.push_back(std::move(argument));
  }
  return inputs;
}

WrittenArgument GraphWriter::clone_of(const Node& node, const Argument& declared,
                                      WrittenArgument argument, size_t result,
                                      ArchiveGraph& graph) {
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

WrittenArgument GraphWriter::write_argument(const Node& node, const Argument& declared,
                                            const NodeArgument& argument, ArchiveGraph& graph) {
  const OpwValue& constant = argument.constant().get();
  WrittenArgument written;
  if (argument.kind() == NodeArgument::Kind::List) {
    written.is_list = true;
    for (const NodeArgument& each : argument.elements())
      written.elements.push_back(write_element(node, declared, each, graph));
  } else if (argument.kind() == NodeArgument::Kind::Constant && is_list_tag(constant.tag)) {
    written.is_list = true;
    for (uint32_t i = 0; i < constant.length; ++i)
      written.elements.push_back(write_constant(node, declared, list_element(constant, i), graph));
  } else {
    written.elements.push_back(write_element(node, declared, argument, graph));
  }
  return written;
}

Element GraphWriter::write_element(const Node& node, const Argument& declared,
                                   const NodeArgument& argument, ArchiveGraph& graph) {
  if (argument.kind() == NodeArgument::Kind::Value) return element_of(argument.value());
  if (argument.kind() == NodeArgument::Kind::Constant)
    return write_constant(node, declared, argument.constant().get(), graph);
  refuse_argument(node, declared, "a list of lists");
}

Element GraphWriter::write_constant(const Node& node, const Argument& declared,
                                    const OpwValue& value, ArchiveGraph& graph) {
  if (value.tag == kOpwSymInt && is_symbolic(value.as_int))
    return sizes_.element(SymInt::borrow(value.as_int), graph);
  if (std::optional<Element> element = constant_element(value)) return *std::move(element);
  refuse_argument(node, declared, value_text(value));
}

}  // namespace opwright::pt2
