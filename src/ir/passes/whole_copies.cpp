#include "opwright/ir/passes/whole_copies.h"

#include <cstddef>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/ir/passes/shared_memory.h"

namespace opwright {

size_t remove_whole_copies(Graph& graph) {
  const Operator* copy = Registry::get().find("aten::copy");
  const SharedMemory memory(graph);
  std::vector<Node*> found;
  for (Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call || &node->op() != copy) continue;
    const GraphValue& from = node->args()[1].value();
    const GraphValue& to = node->values()[0];
    // A value that is written at the end, or returned, needs its own memory.
    const bool is_seen = memory.is_returned(to) || memory.is_written(from);
    if (!is_seen && equal_meta(from.meta(), to.meta())) found.push_back(node);
  }
  for (Node* node : found) {
    graph.replace_uses(node->values()[0], node->args()[1].value());
    graph.erase(*node);
  }
  return found.size();
}

}  // namespace opwright
