#include "opwright/graph_engine/engine_program.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "opwright/convert/ge/graph_conversion.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/ir/graph/random_input.h"
#include "opwright/ir/passes/input_write.h"
#include "opwright/transforms/trace/make_fx.h"
#include "opwright/transforms/trace/trace.h"

namespace opwright::graph_engine {
namespace {

GraphPtr take_apart(const GraphPtr& graph) {
  TraceSessionOptions options;
  options.functional = true;
  options.keeps_custom_whole = true;
  options.trace = trace_options();
  for (const Node* node = graph->first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Call && options.trace.decompose.contains(&node->op()))
      return retrace(*graph, std::move(options));
  }
  return graph->copy();
}

}  // namespace

EngineProgram make_engine_program(const GraphPtr& graph) {
  OPWRIGHT_CHECK_KIND("NotImplementedError", count_random_states(*graph) == 0,
                      "GE: the program draws random numbers, which the engine cannot do the same "
                      "way\n  Use the module in eval mode, or give them as an argument.");
  EngineProgram program{.graph = take_apart(graph)};
  const std::vector<GraphValue*> inputs = program.graph->inputs();
  std::vector<Node*> writes;
  for (Node* node = program.graph->first(); node; node = node->next()) {
    if (writes_input(*node)) writes.push_back(node);
  }
  if (writes.empty()) return program;
  const auto given = program.graph->outputs();
  std::vector<NodeArgument> outputs(given.begin(), given.end());
  for (Node* write : writes) {
    GraphValue& input = write->args()[0].value();
    for (NodeArgument& output : outputs) output.replace(write->values()[0], input);
    outputs.push_back(write->args()[1]);
    const auto place = std::ranges::find(inputs, &input);
    program.written.push_back(static_cast<size_t>(place - inputs.begin()));
  }
  program.graph->set_outputs(std::move(outputs));
  for (Node* write : writes) {
    program.graph->replace_uses(write->values()[0], write->args()[0].value());
    program.graph->erase(*write);
  }
  return program;
}

}  // namespace opwright::graph_engine
