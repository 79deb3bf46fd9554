#include "opwright/compile/lower/raise_parts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "opwright/compile/fuse/known_geometry.h"
#include "opwright/compile/fuse/point_node.h"
#include "opwright/dispatch/registry.h"
#include "opwright/ir/graph/infer.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// A range of one dimension of a value, as a view of it.
struct Part {
  GraphValue* view;
  int64_t dim;
  int64_t begin;
  SymInt size;
};

// nullopt if the view is not a range of one dimension.
std::optional<Part> part_of(GraphValue& view, const Tensor& base) {
  const Tensor shown = view.tensor();
  if (shown.dim() != base.dim() || shown.dtype() != base.dtype()) return std::nullopt;
  std::optional<int64_t> parted;
  for (int64_t i = 0; i < base.dim(); ++i) {
    if (!is_same(shown.sym_stride(i), base.sym_stride(i))) return std::nullopt;
    if (is_same(shown.sym_size(i), base.sym_size(i))) continue;
    if (parted) return std::nullopt;
    parted = i;
  }
  const SymInt from = offset_of(base);
  const SymInt to = offset_of(shown);
  if (!parted || from.is_symbolic() || to.is_symbolic()) return std::nullopt;
  if (base.sym_stride(*parted).is_symbolic()) return std::nullopt;
  const int64_t stride = base.sym_stride(*parted).word();
  const int64_t distance = to.word() - from.word();
  if (stride <= 0 || distance % stride != 0) return std::nullopt;
  return Part{
      .view = &view, .dim = *parted, .begin = distance / stride, .size = shown.sym_size(*parted)};
}

class PartRaiser {
 public:
  PartRaiser(Graph& graph, const FusionTarget& target) : graph_(graph), target_(target) {}

  bool raise(Node& node) {
    const std::optional<PointNode> point = describe_point(node, target_);
    if (!point || point->fold || point->is_costly || point->is_trivial) return false;
    const std::optional<std::vector<Part>> parts = parts_of(node.values()[0]);
    if (!parts) return false;
    for (const Part& part : *parts) graph_.replace_uses(*part.view, compute_part(node, part));
    // Nothing uses the full result any more; its inputs may be sliced next.
    const std::vector<Node*> views(node.values()[0].users().begin(),
                                   node.values()[0].users().end());
    for (Node* view : views) {
      if (!view->is_erased()) graph_.erase(*view);
    }
    graph_.erase(node);
    return true;
  }

 private:
  // nullopt if the full result is used, a slice is returned, or the slices are larger than it.
  static std::optional<std::vector<Part>> parts_of(const GraphValue& whole) {
    const Tensor base = whole.tensor();
    std::vector<Part> parts;
    for (Node* user : whole.users()) {
      if (user->kind() != NodeKind::Call || !user->op().gives_views()) return std::nullopt;
      for (GraphValue& view : user->values()) {
        if (view.users().empty()) continue;
        std::optional<Part> part = part_of(view, base);
        if (!part || is_returned(view)) return std::nullopt;
        parts.push_back(std::move(*part));
      }
    }
    if (parts.empty()) return std::nullopt;
    SymInt total(0);
    for (const Part& part : parts) {
      if (part.dim != parts[0].dim) return std::nullopt;
      total = total + part.size;
    }
    const SymInt size = base.sym_size(parts[0].dim);
    const bool fits = is_same(total, size) ||
                      (!total.is_symbolic() && !size.is_symbolic() && total.word() <= size.word());
    if (!fits) return std::nullopt;
    return parts;
  }

  static bool is_returned(const GraphValue& value) {
    return std::ranges::any_of(value.users(),
                               [](const Node* user) { return user->kind() == NodeKind::Output; });
  }

  // The node's operator on slices of its inputs.
  GraphValue& compute_part(Node& node, const Part& part) {
    const Tensor whole = node.values()[0].tensor();
    std::vector<NodeArgument> args(node.args().begin(), node.args().end());
    for (NodeArgument& arg : args) {
      if (arg.kind() == NodeArgument::Kind::Value)
        arg = NodeArgument::of(take_part(node, arg.value(), part, whole));
    }
    return insert_call_at(graph_, node, node.op(), std::move(args));
  }

  GraphValue& take_part(Node& before, GraphValue& value, const Part& part, const Tensor& whole) {
    const Tensor own = value.tensor();
    const int64_t dim = part.dim - (whole.dim() - own.dim());
    if (dim < 0 || !is_same(own.sym_size(dim), whole.sym_size(part.dim))) return value;
    static const Operator& slice = Registry::get().require("aten::slice.Tensor");
    return insert_call_at(graph_, before, slice,
                          {NodeArgument::of(value), NodeArgument::constant(Value(dim)),
                           NodeArgument::constant(Value(SymInt(part.begin))),
                           NodeArgument::constant(Value(SymInt(part.begin) + part.size)),
                           NodeArgument::constant(Value(SymInt(1)))});
  }

  Graph& graph_;
  const FusionTarget& target_;
};

}  // namespace

size_t raise_parts(Graph& graph, const FusionTarget& target) {
  PartRaiser raiser(graph, target);
  size_t count = 0;
  // From the end: users of slices of slices come first.
  std::vector<Node*> nodes;
  for (Node* node = graph.first(); node; node = node->next()) nodes.push_back(node);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
    count += raiser.raise(**node) ? 1 : 0;
  return count;
}

}  // namespace opwright
