// Runs a graph of the engine GE with a vendor's library.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/ge/graph_builder.h"
#include "opwright/convert/ge/model.h"
#include "opwright/device.h"
#include "opwright/error.h"
#include "opwright/graph_engine/engine.h"
#include "opwright/graph_engine/vendor_library.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/input_check.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/ir/graph/node_call.h"
#include "opwright/schema/type.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::graph_engine {
namespace {

GeValues outputs_of(const GeGraph& graph) {
  GeValues outputs;
  std::ranges::copy_if(graph.outputs, std::back_inserter(outputs), &OutputPlace::is_there);
  return outputs;
}

class LibraryGraph final : public BuiltGraph {
 public:
  LibraryGraph(GeGraphPtr graph, Device device, const EngineConfig& config)
      : graph_(std::move(graph)),
        outputs_(outputs_of(*graph_)),
        library_(VendorLibrary::open(config.library)),
        built_(library_, to_bytes(*graph_), outputs_.size(), device, config.options) {}

  void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const override {
    const Graph& program = *graph_->program;
    InputCheck check(program);
    RunState state;
    state.env = program.shape_env().get();
    state.values.resize(program.num_value_numbers());
    std::vector<Value> given = check.collect(arguments);
    check.bind_inputs(given, state.symbols);
    check.check(given, state.symbols);

    const std::vector<Tensor> outputs = built_.run(order_inputs(given));
    set_outputs(outputs, state);
    size_t index = 0;
    for (const GraphValue* input : program.inputs())
      state.values[input->number()] = std::move(given[index++]);
    std::vector<Value> made;
    for (size_t i = 0; i < results.size(); ++i)
      made.push_back(argument_value(state, program.outputs()[i], TypeKind::Any));
    for (size_t i = 0; i < results.size(); ++i) results[i] = made[i].give();
  }

  [[nodiscard]] std::string describe() const override {
    std::string text;
    for (const GeOp& op : graph_->ops)
      text += concatenate(op.name, " (", op.type, "): ", library_.path(), "\n");
    return text;
  }

 private:
  // In the order of the graph's Data ops.
  [[nodiscard]] std::vector<Tensor> order_inputs(const std::vector<Value>& given) const {
    std::vector<Tensor> ordered(graph_->inputs.size());
    size_t index = 0;
    for (const GraphValue* input : graph_->program->inputs()) {
      const Value& value = given[index++];
      const auto data = std::ranges::find(graph_->inputs, graph_->values[input->number()].op);
      if (data == graph_->inputs.end()) continue;  // a Const op
      ordered[static_cast<size_t>(data - graph_->inputs.begin())] =
          ValueOf<Tensor>::read(value.get());
    }
    return ordered;
  }
  void set_outputs(const std::vector<Tensor>& outputs, RunState& state) const {
    for (const NodeArgument& argument : graph_->program->outputs()) {
      argument.visit_values([&](const GraphValue& value) {
        const auto place = std::ranges::find(outputs_, graph_->values[value.number()]);
        if (place != outputs_.end())
          state.values[value.number()] =
              Value(outputs[static_cast<size_t>(place - outputs_.begin())]);
      });
    }
  }

  GeGraphPtr graph_;
  GeValues outputs_;  // in the order of NetOutput
  const VendorLibrary& library_;
  VendorGraph built_;
};

}  // namespace

BuiltGraphPtr build_by_library(const GeGraphPtr& graph, Device device, const EngineConfig& config) {
  return BuiltGraphPtr::take(new LibraryGraph(graph, device, config));
}

BuiltGraphPtr build(const GeGraphPtr& graph, Device device, const EngineConfig& config) {
  return config.library.empty() ? build_by_operators(graph, device)
                                : build_by_library(graph, device, config);
}

}  // namespace opwright::graph_engine
