#include "opwright/graph_engine/backend.h"

#include <cstddef>
#include <span>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/compile/backend/executable.h"
#include "opwright/convert/ge/graph_conversion.h"
#include "opwright/convert/ge/model.h"
#include "opwright/device.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/graph_engine/engine.h"
#include "opwright/graph_engine/engine_program.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::graph_engine {
namespace {

// The device of the first tensor.
Device device_of(const Graph& graph) {
  for (const GraphValue* input : graph.inputs()) {
    if (const Tensor tensor = input->tensor(); tensor.is_defined()) return tensor.device();
  }
  return kCpu;
}

// The tensor for input `place` of a run.
Tensor input_at(const Graph& graph, size_t place, std::span<const OpwValue> arguments) {
  const std::vector<GraphValue*> inputs = graph.inputs();
  if (inputs[place]->node().role() != InputRole::Argument) return inputs[place]->node().bound();
  size_t argument = 0;
  for (size_t i = 0; i < place; ++i) {
    if (inputs[i]->node().role() == InputRole::Argument) ++argument;
  }
  return ValueOf<Tensor>::read(arguments[argument]);
}

[[maybe_unused]] const bool kIsGeBackendRegistered = [] {
  register_backend("ge", [](const GraphPtr& graph) {
    return ExecutablePtr::take(new EngineExecutable(graph, {}));
  });
  return true;
}();

}  // namespace

EngineExecutable::EngineExecutable(const GraphPtr& graph, const EngineConfig& config)
    : program_(make_engine_program(graph)),
      graph_(convert_graph(program_.graph)),
      built_(build(graph_, device_of(*program_.graph), config)) {}

void EngineExecutable::run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const {
  if (program_.written.empty()) return built_->run(arguments, results);
  std::vector<OpwValue> all(program_.graph->outputs().size());
  built_->run(arguments, all);
  std::vector<Value> owned;
  for (const OpwValue& each : all) owned.push_back(Value::take(each));
  const size_t num_own = program_.num_results();
  for (size_t i = 0; i < program_.written.size(); ++i) {
    Tensor target = input_at(*program_.graph, program_.written[i], arguments);
    (void)target.copy_(ValueOf<Tensor>::read(owned[num_own + i].get()));
  }
  for (size_t i = 0; i < results.size(); ++i) results[i] = owned[i].give();
}

std::vector<Executable::Section> EngineExecutable::describe() const {
  return {{.title = "graph", .text = to_text(*graph_)},
          {.title = "run by", .text = built_->describe()}};
}

}  // namespace opwright::graph_engine
