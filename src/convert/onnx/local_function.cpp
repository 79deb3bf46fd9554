// Operators that become functions of the model, by their decomposition.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/convert/onnx/graph_conversion.h"
#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/convert/onnx/model/call_state.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/convert/onnx/model/model_bytes.h"
#include "opwright/convert/onnx/model/node_form.h"
#include "opwright/convert/onnx/onnx_converter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/infer.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/runtime/onnx.h"
#include "opwright/schema/constant.h"

namespace opwright::onnx {
namespace {

// A graph of a single call, whose tensors are its inputs.
class OneCall {
 public:
  explicit OneCall(const Node& node) : graph_(make_intrusive<Graph>(node.graph().shape_env())) {
    CallDescription call = describe_call_at(node, node.op(), {});
    for (size_t i = 0; i < node.args().size(); ++i)
      call.args.push_back(copy(node.args()[i], node.op().schema().arguments[i].name));
    call.results = results_of(node);
    Node& made = graph_->insert_call(std::move(call));
    std::vector<NodeArgument> outputs;
    for (GraphValue& value : made.values()) outputs.push_back(NodeArgument::of(value));
    graph_->set_outputs(std::move(outputs));
  }
  [[nodiscard]] const GraphPtr& graph() const { return graph_; }

 private:
  NodeArgument copy(const NodeArgument& argument, const std::string& name) {
    if (argument.kind() == NodeArgument::Kind::Value)
      return NodeArgument::of(graph_->add_input(name, argument.value().meta()));
    if (argument.kind() == NodeArgument::Kind::Constant) return argument;
    std::vector<NodeArgument> elements;
    for (const NodeArgument& each : argument.elements()) elements.push_back(copy(each, name));
    return NodeArgument::list(std::move(elements));
  }

  GraphPtr graph_;
};

GraphPtr take_apart(const Node& node, int64_t opset) {
  const Operator& op = node.op();
  OPWRIGHT_CHECK_VALUE(
      op.record(Slot::Decompose) || op.record(Slot::ImplicitComposite) ||
          op.record(Slot::ExplicitComposite),
      name_call(node),
      ": it cannot be a function of the model, since it has no "
      "decomposition\n  Give it a composite body or a decomposition, or leave it out of "
      "functions=: then it is a node of its own.");
  return trace_part(OneCall(node).graph(), opset, &op);
}

// Calls with equal keys share one body.
std::string call_key(const Node& node) {
  std::string key = node.op().name();
  const auto append = [&](const auto& self, const NodeArgument& argument) -> void {
    key += ' ';
    if (argument.kind() == NodeArgument::Kind::Value) {
      append_text(key, argument.value().tensor());
    } else if (argument.kind() == NodeArgument::Kind::Constant) {
      key += value_text(argument.constant().get());
    }
    for (const NodeArgument& each : argument.elements()) self(self, each);
  };
  for (const NodeArgument& argument : node.args()) append(append, argument);
  return key;
}

}  // namespace

OnnxValues GraphConversion::call_function(const Node& node, const Call& call) {
  const auto [place, is_new] = function_names_.try_emplace(call_key(node));
  if (is_new) place->second = find_or_add(make_function(node));
  OnnxValues inputs;
  for (const NodeArgument& argument : node.args()) {
    argument.visit_values(
        [&](const GraphValue& value) { inputs.push_back(call.state().values[value.number()]); });
  }
  return builder_.op(concatenate(node.op().schema().name.name_space, "::", place->second), inputs,
                     {}, call.num_results());
}

std::string GraphConversion::find_or_add(FunctionBody function) {
  const std::string base = function.name;
  for (size_t others = 0;; ++others) {
    function.name = others == 0 ? base : concatenate(base, "_", others);
    const auto found = std::ranges::find_if(functions_, [&](const FunctionBody& each) {
      return each.domain == function.domain && each.name == function.name;
    });
    if (found == functions_.end()) break;
    // Sizes that differ only in their symbols make the same nodes.
    if (to_bytes(*found) == to_bytes(function)) return found->name;
  }
  functions_.push_back(std::move(function));
  return functions_.back().name;
}

FunctionBody GraphConversion::make_function(const Node& node) {
  const GraphPtr body = take_apart(node, state_.opset);
  BodyScope scope;
  scope.is_function = true;
  BodyScope* const outside = std::exchange(state_.scope, &scope);
  // Names inside a function are local.
  std::unordered_set<std::string> names = std::exchange(state_.names, {});
  const std::string label = state_.label;
  const SourceSite site = state_.site;
  FunctionBody function;
  function.domain = node.op().schema().name.name_space;
  function.name = default_form(node.op()).name;
  OnnxValues values(body->num_value_numbers());
  for (const GraphValue* input : body->inputs()) {
    if (input->node().bound().is_defined()) {  // captured by its body
      set_value(values, *input, builder_.constant(input->node().bound()));
      continue;
    }
    const OnnxValue value =
        state_.add({.name = state_.unused_name(input->name()), .is_named = true});
    set_value(values, *input, value);
    function.inputs.push_back(state_.at(value).name);
  }
  convert_calls(*body, values);
  OnnxValues outputs;
  for (const NodeArgument& output : body->outputs()) {
    OnnxValue value = read(output, values);
    if (!state_.at(value).is_output) value = builder_.op("Identity", {value});
    outputs.push_back(value);
  }
  state_.remove_unused(scope, outputs);
  std::set<std::string> domains;
  for (const PendingNode& each : scope.nodes) domains.insert(each.domain);
  function.nodes = state_.finish_nodes(scope);
  for (OnnxNode& each : function.nodes) each.doc.clear();  // the line of one of its calls
  for (const OnnxValue output : outputs) function.outputs.push_back(state_.at(output).name);
  function.opsets = imports(domains);
  state_.scope = outside;
  state_.names = std::move(names);
  state_.label = label;
  state_.site = site;
  return function;
}

}  // namespace opwright::onnx
