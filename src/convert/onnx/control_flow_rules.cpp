// cond and while_loop as If and Loop: their sub-graphs become bodies that read outside values by
// name.
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/convert/onnx/graph_conversion.h"
#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/convert/onnx/model/call_state.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/convert/onnx/onnx_converter.h"
#include "opwright/convert/onnx/rules/rules.h"
#include "opwright/dtype.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/ir/graph/node.h"
#include "opwright/runtime/onnx.h"
#include "opwright/symint.h"

namespace opwright::onnx {
namespace {

// A sub-graph of a call, traced to operators that have rules.
GraphPtr sub_graph(const Call& call, size_t index) {
  return trace_part(graph_of(call.constant(index)), call.state().g.opset());
}

// Adds the nodes of a graph for known input values; returns its outputs.
OnnxValues inline_graph(const Call& call, const Graph& graph, const OnnxValues& inputs) {
  GraphConversion& conversion = *call.state().conversion;
  OnnxValues values(graph.num_value_numbers());
  const std::vector<GraphValue*> own = graph.inputs();
  for (size_t i = 0; i < own.size(); ++i) conversion.set_value(values, *own[i], inputs[i]);
  conversion.convert_calls(graph, values);
  OnnxValues outputs;
  for (const NodeArgument& output : graph.outputs())
    outputs.push_back(conversion.read(output, values));
  return outputs;
}

// The body of a node; nodes go there during its lifetime.
class Body {
 public:
  explicit Body(GraphBuilder& g) : g_(g), outside_(g.state().scope), label_(g.state().label) {
    scope_.outer = outside_;
    g.state().scope = &scope_;
  }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  ~Body() { leave(); }

  // Adds an input of the body with that type.
  OnnxValue add_input(const char* name, DType dtype, std::vector<SymInt> sizes) {
    GraphBuilder::State& state = g_.state();
    const OnnxValue value = state.add({.name = state.unused_name(name), .is_named = true});
    g_.set_type(value, dtype, std::move(sizes));
    inputs_.push_back(value);
    return value;
  }

  // Outside values that the body reads are added to `captured`.
  std::shared_ptr<const GraphBody> finish(const OnnxValues& results, OnnxValues& captured) {
    GraphBuilder::State& state = g_.state();
    OnnxValues outputs;
    for (const OnnxValue result : results) {
      const OnnxValue output = g_.op("Identity", {result});  // a separate value in any case
      g_.set_type(output, *g_.dtype(result), *g_.shape(result));
      outputs.push_back(output);
    }
    const OnnxValues read = state.remove_unused(scope_, outputs);
    auto body = std::make_shared<GraphBody>();
    body->name = label_;
    body->nodes = state.finish_nodes(scope_);
    for (const OnnxValue input : inputs_) body->inputs.push_back(state.describe(input));
    for (const OnnxValue output : outputs) body->outputs.push_back(state.describe(output));
    captured.insert(captured.end(), read.begin(), read.end());
    leave();
    return body;
  }

 private:
  void leave() {
    g_.state().scope = outside_;
    g_.state().label = label_;
  }

  GraphBuilder& g_;
  BodyScope* outside_;
  std::string label_;
  BodyScope scope_;
  OnnxValues inputs_;
};

OnnxValues join_lists(std::initializer_list<OnnxValues> lists) {
  OnnxValues all;
  for (const OnnxValues& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

OnnxValue as_condition(GraphBuilder& g, OnnxValue value) {
  const OnnxValue condition = g.op("Reshape", {g.cast(value, DType::Bool), g.ints({})});
  g.set_type(condition, DType::Bool, {});
  return condition;
}

// (Tensor pred, Graph true_graph, Graph false_graph, Tensor[] operands, SymInt[] sizes)
OnnxValues cond(GraphBuilder& g, const Call& call) {
  const OnnxValue condition = as_condition(g, call.input(0));
  const OnnxValues inputs = join_lists({call.inputs(3), call.inputs(4)});
  OnnxValues captured;
  std::vector<Attribute> branches;
  for (const auto& [name, index] : {std::pair("then_branch", 1), std::pair("else_branch", 2)}) {
    Body body(g);
    const GraphPtr graph = sub_graph(call, static_cast<size_t>(index));
    const OnnxValues results = inline_graph(call, *graph, inputs);
    branches.emplace_back(name, body.finish(results, captured));
  }
  const OnnxValues results = g.op("If", {condition}, std::move(branches), call.num_results());
  g.state().scope->nodes.back().captured = std::move(captured);
  return results;
}

// (Graph cond_graph, Graph body_graph, Tensor[] carried, Tensor[] captured, SymInt[] sizes)
OnnxValues while_loop(GraphBuilder& g, const Call& call) {
  const GraphPtr condition = sub_graph(call, 0);
  const GraphPtr step = sub_graph(call, 1);
  const OnnxValues carried = call.inputs(2);
  const OnnxValues rest = join_lists({call.inputs(3), call.inputs(4)});
  const auto holds = [&](const OnnxValues& values) {
    return as_condition(g, inline_graph(call, *condition, join_lists({values, rest})).front());
  };
  const OnnxValue first = holds(carried);
  OnnxValues captured;
  Body body(g);
  (void)body.add_input("iteration", DType::Int64, {});
  (void)body.add_input("condition", DType::Bool, {});
  OnnxValues own;
  for (const OnnxValue value : carried)
    own.push_back(body.add_input("carried", *g.dtype(value), *g.shape(value)));
  const OnnxValues next = inline_graph(call, *step, join_lists({own, rest}));
  const auto made = body.finish(join_lists({{holds(next)}, next}), captured);
  const OnnxValues results = g.op("Loop", join_lists({{OnnxValue(), first}, carried}),
                                  {Attribute("body", made)}, call.num_results());
  g.state().scope->nodes.back().captured = std::move(captured);
  return results;
}

}  // namespace

std::span<const BuiltinRule> control_flow_rules() {
  static constexpr BuiltinRule kControlFlowRules[] = {
      {"opwright::cond", &cond},
      {"opwright::while_loop", &while_loop},
  };
  return kControlFlowRules;
}

}  // namespace opwright::onnx
