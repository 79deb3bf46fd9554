// The operators that a graph and its sub-graphs call.
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/schema/schema.h"

namespace opwright {
namespace {

std::string file_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

class Collection {
 public:
  void add(const Graph& graph) {
    for (const Node* node = graph.first(); node; node = node->next()) {
      if (node->kind() != NodeKind::Call) continue;
      add(node->op());
      for (const NodeArgument& argument : node->args()) {
        if (is_graph(argument.constant().get())) add(*graph_of(argument.constant().get()));
      }
    }
  }
  std::vector<OperatorUse> take() {
    std::vector<OperatorUse> uses;
    uses.reserve(found_.size());
    for (auto& [name, use] : found_) uses.push_back(std::move(use));
    return uses;
  }

 private:
  void add(const Operator& op) {
    const auto [place, is_new] = found_.try_emplace(op.name());
    if (!is_new) return;
    const char* origin = op.origin();
    place->second = {.name = op.name(),
                     .schema = to_text(op.schema()),
                     .library = origin ? file_name(origin) : std::string()};
  }

  std::map<std::string, OperatorUse> found_;
};

}  // namespace

std::vector<OperatorUse> operators_of(const Graph& graph) {
  Collection collection;
  collection.add(graph);
  return collection.take();
}

}  // namespace opwright
