#include "opwright/compile/lower/split_reductions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "opwright/compile/fuse/index_view.h"
#include "opwright/compile/fuse/lane_builder.h"
#include "opwright/compile/fuse/point_node.h"
#include "opwright/compile/fuse/size_estimate.h"
#include "opwright/dispatch/registry.h"
#include "opwright/ir/graph/infer.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// What one thread reduces in about ten microseconds.
constexpr int64_t kLeastElements = 1 << 16;
constexpr int64_t kLeastRows = 16;

// Whether the node is a sum or a mean of all elements.
bool folds_everything(const Node& node, const PointNode& point) {
  return point.fold && point.fold->op == LaneOp::FoldSum && node.values()[0].tensor().dim() == 0 &&
         std::ranges::count(point.fold->dims, false) == 0;
}

bool is_worth_it(const Graph& graph, const PointNode& point, const FusionTarget& target) {
  const Tensor from = point.inputs[0]->tensor();
  const ShapeEnv* env = graph.shape_env().get();
  if (from.dim() < 2 || estimate_size(env, from.sym_size(0)) < kLeastRows ||
      estimate_size(env, from.sym_numel()) < kLeastElements)
    return false;
  return describe_point(look_through(*point.inputs[0]).root->node(), target).has_value();
}

void split_reduction(Graph& graph, Node& node, const PointNode& point) {
  const Tensor from = point.inputs[0]->tensor();
  const DType dtype = lane_dtype(point.fold->result);
  std::vector<int64_t> inner;
  for (int64_t dim = 1; dim < from.dim(); ++dim) inner.push_back(dim);
  Registry& registry = Registry::get();
  const bool is_mean = point.fold->is_mean;
  GraphValue& partial = insert_call_at(
      graph, node, registry.require(is_mean ? "aten::mean.dim" : "aten::sum.dim_IntList"),
      {NodeArgument::of(*point.inputs[0]), NodeArgument::constant(Value(inner)),
       NodeArgument::constant(Value(false)), NodeArgument::constant(Value(dtype))});
  GraphValue& whole = insert_call_at(
      graph, node, registry.require(is_mean ? "aten::mean" : "aten::sum"),
      {NodeArgument::of(partial), NodeArgument::constant(Value(point.fold->result))});
  graph.replace_uses(node.values()[0], whole);
}

}  // namespace

size_t split_reductions(Graph& graph, const FusionTarget& target) {
  size_t count = 0;
  for (Node* node = graph.first(); node; node = node->next()) {
    const std::optional<PointNode> point = describe_point(*node, target);
    if (!point || !folds_everything(*node, *point) || !is_worth_it(graph, *point, target)) continue;
    split_reduction(graph, *node, *point);
    ++count;
  }
  return count;
}

}  // namespace opwright
