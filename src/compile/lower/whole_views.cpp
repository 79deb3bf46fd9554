#include "opwright/compile/lower/whole_views.h"

#include <algorithm>
#include <cstddef>

#include "opwright/dispatch/registry.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/infer.h"
#include "opwright/ir/graph/node_text.h"

namespace opwright {
namespace {

bool shows_argument(const Node& node) {
  return node.kind() == NodeKind::Call && node.values().size() == 1 && !node.args().empty() &&
         node.args()[0].kind() == NodeArgument::Kind::Value && !node.op().writes_arguments() &&
         node.op().gives_views();
}

bool is_returned(const GraphValue& value, const Graph& graph) {
  return std::ranges::find(value.users(), graph.output()) != value.users().end();
}

}  // namespace

size_t tell_views(Graph& graph) {
  const Operator* hidden = Registry::get().find("aten::_unsafe_view");
  const Operator& view = Registry::get().require("aten::view");
  size_t count = 0;
  for (Node* node = graph.first(); node;) {
    Node* next = node->next();
    if (node->kind() == NodeKind::Call && &node->op() == hidden &&
        !is_returned(node->values()[0], graph)) {
      CallDescription call =
          describe_call_at(*node, view, {node->args().begin(), node->args().end()});
      call.results = results_of(*node);
      graph.replace_uses(node->values()[0], graph.insert_call(std::move(call), node).values()[0]);
      graph.erase(*node);
      ++count;
    }
    node = next;
  }
  return count;
}

size_t remove_whole_views(Graph& graph) {
  size_t count = 0;
  for (Node* node = graph.first(); node;) {
    Node* next = node->next();
    if (shows_argument(*node) && !is_returned(node->values()[0], graph) &&
        equal_meta(node->values()[0].meta(), node->args()[0].value().meta())) {
      graph.replace_uses(node->values()[0], node->args()[0].value());
      graph.erase(*node);
      ++count;
    }
    node = next;
  }
  return count;
}

}  // namespace opwright
