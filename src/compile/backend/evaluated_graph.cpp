#include "opwright/compile/backend/evaluated_graph.h"

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/ir/graph/evaluate.h"

namespace opwright {
namespace {

class EvaluatedGraph final : public Executable {
 public:
  explicit EvaluatedGraph(GraphPtr graph) : graph_(std::move(graph)) {}

  void run(std::span<const OpwValue> arguments, std::span<OpwValue> results) const override {
    std::vector<Value> values = evaluate(*graph_, arguments);
    for (size_t i = 0; i < results.size(); ++i) results[i] = values[i].give();
  }
  [[nodiscard]] std::vector<Section> describe() const override {
    return {{.title = "graph", .text = to_text(*graph_)}};
  }

 private:
  GraphPtr graph_;
};

}  // namespace

ExecutablePtr evaluate_graph(const GraphPtr& graph) {
  return ExecutablePtr::take(new EvaluatedGraph(graph));
}

ExecutablePtr trace_graph(const GraphPtr& graph) {
  const std::string text = to_text(*graph);
  std::fwrite(text.data(), 1, text.size(), stderr);
  return evaluate_graph(graph);
}

}  // namespace opwright
