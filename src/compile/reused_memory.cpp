#include "opwright/compile/reused_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

bool lie_alike(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.dim() != b.dim()) return false;
  for (int64_t i = 0; i < a.dim(); ++i) {
    if (a.sym_size(i).word() != b.sym_size(i).word() ||
        a.sym_stride(i).word() != b.sym_stride(i).word())
      return false;
  }
  return true;
}

}  // namespace

ReusedMemory::ReusedMemory(Graph& graph) : memory_(graph), by_group_(graph.num_value_numbers()) {
  for (Node* node = graph.first(); node; node = node->next()) {
    for (GraphValue& value : node->values()) by_group_[memory_.group(value)].push_back(&value);
  }
}

// Whether nothing but nodes of the group, and views for them, sees the value's memory.
bool ReusedMemory::ends_with(const GraphValue& value, const FusionGroup& group) const {
  const std::vector<GraphValue*>& sharing = by_group_[memory_.group(value)];
  return std::ranges::all_of(sharing, [&](const GraphValue* each) {
    return each->node().kind() == NodeKind::Call &&
           std::ranges::all_of(each->users(), [&](const Node* user) {
             const bool is_view = user->kind() == NodeKind::Call && user->op().gives_views();
             return is_view || std::ranges::find(group.nodes, user) != group.nodes.end();
           });
  });
}

// The value that shows all of the member's memory, in the way that the output is to lie.
GraphValue* ReusedMemory::find_shape(const FusionGroup::Member& member,
                                     const FusionGroup::Member& output) const {
  for (GraphValue* each : by_group_[memory_.group(*member.value)]) {
    if (!lie_alike(each->tensor(), output.value->tensor())) continue;
    const IndexView view = look_through(*each);
    if (view.root != member.value) continue;
    bool is_same = true;
    for (size_t i = 0; i < view.dims.size(); ++i) {
      const int32_t dim =
          view.dims[i] == kNoDim ? kNoDim : member.dims[static_cast<size_t>(view.dims[i])];
      is_same &= dim == output.dims[i];
    }
    if (is_same) return each;
  }
  return nullptr;
}

std::optional<ReusedMemory::Choice> ReusedMemory::choose(
    const FusionGroup& group, const std::vector<const FusionGroup::Member*>& outputs) const {
  if (group.has_folds) return std::nullopt;
  for (const FusionGroup::Member* output : outputs) {
    if (!group.is_of_points(output->dims)) continue;
    for (const FusionGroup::Member& member : group.read) {
      GraphValue& value = *member.value;
      const bool is_own = value.node().kind() == NodeKind::Call && !value.node().op().gives_views();
      if (!is_own || memory_.is_returned(value) || memory_.is_written(value) ||
          !ends_with(value, group) ||
          std::ranges::count(group.read, &value, &FusionGroup::Member::value) != 1)
        continue;
      if (GraphValue* shape = find_shape(member, *output))
        return Choice{.output = output, .root = &value, .memory = shape};
    }
  }
  return std::nullopt;
}

}  // namespace opwright
