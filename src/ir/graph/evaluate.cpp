#include "opwright/ir/graph/evaluate.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/ir/graph/input_check.h"
#include "opwright/ir/graph/node_call.h"
#include "opwright/ir/graph/random_input.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/type.h"

namespace opwright {
namespace {

class Evaluation {
 public:
  Evaluation(const Graph& graph, SymbolValues symbols)
      : graph_(graph), uses_left_(graph.num_value_numbers(), 0), inputs_(graph) {
    state_.env = graph.shape_env().get();
    state_.values.resize(graph.num_value_numbers());
    state_.symbols = std::move(symbols);
  }

  std::vector<Value> run(std::span<const OpwValue> arguments);
  std::vector<Value> run_all(std::vector<Value> inputs);

 private:
  void run_call(const Node& node);
  void keep_results(const Node& node, std::vector<Value> results);
  void keep(const GraphValue& value, Value actual);
  void drop_arguments(const Node& node);
  std::vector<Value> take_outputs();

  const Graph& graph_;
  RunState state_;
  std::vector<uint32_t> uses_left_;  // indexed by value number
  InputCheck inputs_;
};

void Evaluation::keep(const GraphValue& value, Value actual) {
  if (value.users().empty()) return;
  uses_left_[value.number()] = static_cast<uint32_t>(value.users().size());
  state_.values[value.number()] = std::move(actual);
}

void Evaluation::drop_arguments(const Node& node) {
  for (const NodeArgument& argument : node.args()) {
    argument.visit_values([&](const GraphValue& value) {
      if (--uses_left_[value.number()] == 0) state_.values[value.number()] = Value();
    });
  }
}

void Evaluation::keep_results(const Node& node, std::vector<Value> results) {
  for (size_t i = 0; i < node.results().size(); ++i) {
    const NodeResult& result = node.results()[i];
    if (result.count == 0) continue;
    if (!result.is_list) {
      inputs_.bind(node.values()[result.first], results[i].get(), state_.symbols);
      keep(node.values()[result.first], std::move(results[i]));
      continue;
    }
    const OpwValue& list = results[i].get();
    check_list_result(node, result, list);
    for (uint32_t j = 0; j < result.count; ++j) {
      const GraphValue& value = node.values()[result.first + j];
      inputs_.bind(value, list_element(list, j), state_.symbols);
      keep(value, Value::copy_of(list_element(list, j)));
    }
  }
}

void Evaluation::run_call(const Node& node) {
  std::vector<Value> results = call_node(state_, node);
  drop_arguments(node);
  keep_results(node, std::move(results));
  inputs_.check_assertions(state_.symbols);
}

std::vector<Value> Evaluation::take_outputs() {
  std::vector<Value> outputs;
  for (const NodeArgument& output : graph_.outputs()) {
    outputs.push_back(argument_value(state_, output, TypeKind::Any));
  }
  return outputs;
}

std::vector<Value> Evaluation::run_all(std::vector<Value> inputs) {
  OPWRIGHT_CHECK_VALUE(graph_.output(), "graph: it has no outputs; call set_outputs");
  size_t index = 0;
  for (const GraphValue* input : graph_.inputs()) keep(*input, inputs[index++]);
  inputs_.bind_inputs(inputs, state_.symbols);
  inputs_.check(inputs, state_.symbols);
  inputs.clear();
  for (const Node* node = graph_.first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Call) run_call(*node);
  }
  return take_outputs();
}

std::vector<Value> Evaluation::run(std::span<const OpwValue> arguments) {
  std::vector<Value> outputs = run_all(inputs_.collect(arguments));
  auto num_states = static_cast<std::ptrdiff_t>(count_random_states(graph_));
  OPWRIGHT_CHECK_VALUE(std::ssize(outputs) >= num_states, "graph: it takes ", num_states,
                       " states of random numbers and returns ", outputs.size(),
                       " values; the last outputs must be the new states");
  for (; num_states != 0; --num_states) {
    const auto state = outputs.end() - num_states;
    write_random_state(ValueOf<Tensor>::read(state->get()));
    outputs.erase(state);
  }
  return outputs;
}

}  // namespace

std::vector<Value> evaluate(const Graph& graph, std::span<const OpwValue> arguments,
                            SymbolValues symbols) {
  return Evaluation(graph, std::move(symbols)).run(arguments);
}

std::vector<Value> evaluate_all(const Graph& graph, std::vector<Value> inputs) {
  const size_t wanted = graph.inputs().size();
  OPWRIGHT_CHECK_TYPE(inputs.size() == wanted, "graph: it has ", wanted, " inputs, got ",
                      inputs.size());
  return Evaluation(graph, {}).run_all(std::move(inputs));
}

std::vector<Value> evaluate(const Graph& graph, std::span<const OpwValue> arguments) {
  return evaluate(graph, arguments, {});
}

}  // namespace opwright
