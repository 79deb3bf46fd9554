#include "opwright/run/plan.h"

#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include "opwright/ir/evaluate.h"
#include "opwright/ir/graph.h"
#include "opwright/value.h"

namespace opwright {

struct Plan::Body {
  GraphPtr graph;
};

Plan::Plan(GraphPtr graph) : body_(new Body{std::move(graph)}) { verify(*body_->graph); }

Plan::~Plan() { delete body_; }

const Graph& Plan::graph() const noexcept { return *body_->graph; }

std::vector<Value> Plan::run(std::span<const OpwValue> arguments, StepWatch* /*watch*/) const {
  return evaluate(*body_->graph, arguments);
}

Plan::Memory Plan::memory() const { return {}; }

}  // namespace opwright
