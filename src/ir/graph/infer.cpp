#include "opwright/ir/graph/infer.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/row.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node_call.h"
#include "opwright/schema/schema.h"
#include "opwright/symbolic/shape_env/current_shape_env.h"

namespace opwright {

std::vector<Value> infer_results(const Graph& graph, const Operator& op,
                                 std::span<const NodeArgument> args) {
  OPWRIGHT_CHECK_VALUE(args.size() == op.num_arguments(), "graph: ", op.name(), " takes ",
                       op.num_arguments(), " arguments, got ", args.size());
  // The symbols of the arguments evaluate to themselves.
  RunState state;
  state.values.resize(graph.num_value_numbers());
  std::vector<Value> owned;
  std::vector<OpwValue> values;
  for (size_t i = 0; i < args.size(); ++i) {
    args[i].visit_values(
        [&](const GraphValue& value) { state.values[value.number()] = value.meta(); });
    owned.push_back(args[i].kind() == NodeArgument::Kind::Constant
                        ? args[i].constant()
                        : argument_value(state, args[i], op.schema().arguments[i].type));
  }
  for (const Value& value : owned) values.push_back(value.get());
  std::vector<OpwValue> results(op.num_results());
  const InterpreterScope eager(nullptr);
  const ShapeEnvScope symbols(graph.shape_env().get());
  run_fake(op, values, results);
  std::vector<Value> inferred;
  for (const OpwValue& result : results) inferred.push_back(Value::take(result));
  return inferred;
}

CallDescription describe_call_at(const Node& place, const Operator& op,
                                 std::vector<NodeArgument> args) {
  CallDescription call;
  call.op = &op;
  call.args = std::move(args);
  call.site = place.site();
  call.module_path = place.module_path();
  call.grad_mode = place.grad_mode();
  return call;
}

GraphValue& insert_call_at(Graph& graph, Node& place, const Operator& op,
                           std::vector<NodeArgument> args) {
  CallDescription call = describe_call_at(place, op, std::move(args));
  call.results = infer_results(graph, op, call.args);
  return graph.insert_call(std::move(call), &place).values()[0];
}

}  // namespace opwright
