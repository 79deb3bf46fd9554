#include "opwright/compile/backend/planned_graph.h"

#include <span>
#include <vector>

#include "opwright/compile/lower/graph_traffic.h"
#include "opwright/run/plan.h"

namespace opwright {
namespace {

class PlannedGraph final : public Executable {
 public:
  explicit PlannedGraph(const GraphPtr& graph) : plan_(graph) {}

  void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const override {
    plan_.run(arguments, results);
  }
  [[nodiscard]] std::vector<Section> describe() const override {
    return {{.title = "graph", .text = to_text(plan_.graph())},
            {.title = "bytes", .text = traffic_text(plan_.graph())}};
  }

 private:
  Plan plan_;
};

}  // namespace

ExecutablePtr plan_graph(const GraphPtr& graph) {
  return ExecutablePtr::take(new PlannedGraph(graph));
}

}  // namespace opwright
