#include "opwright/compile/fuse/reused_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/property.h"
#include "opwright/ir/passes/input_write.h"
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

// Whether the value is in memory that the run allocated and nothing else references. An author's
// operator may keep a reference to its results.
bool is_fresh(const GraphValue& value) {
  return value.node().kind() == NodeKind::Call && !value.node().op().gives_views() &&
         is_builtin(value.node().op());
}

// Through how many maps the group reads the value.
ptrdiff_t count_reads(const FusionGroup& group, const GraphValue& value) {
  return std::ranges::count(group.read, &value, &FusionGroup::Member::value);
}

}  // namespace

ReusedMemory::ReusedMemory(Graph& graph)
    : memory_(graph, SharedMemory::Inputs::Apart), by_group_(graph.num_value_numbers()) {
  for (Node* node = graph.first(); node; node = node->next()) {
    for (GraphValue& value : node->values()) by_group_[memory_.group(value)].push_back(&value);
  }
}

// Whether only nodes of the group, and views for them, use the value's memory.
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

// Through how many maps the group reads the value or another view of its memory.
ptrdiff_t ReusedMemory::count_reads_of_memory(const FusionGroup& group,
                                              const GraphValue& value) const {
  return std::ranges::count_if(group.read, [&](const FusionGroup::Member& member) {
    return memory_.group(*member.value) == memory_.group(value);
  });
}

// The value that views all of the member's memory in the layout of the output.
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

std::optional<ReusedMemory::Choice> ReusedMemory::find_dead_value(
    const FusionGroup& group, const FusionGroup::Member& output) const {
  for (const FusionGroup::Member& member : group.read) {
    GraphValue& value = *member.value;
    if (!is_fresh(value) || memory_.is_returned(value) || memory_.is_written(value) ||
        !ends_with(value, group) || count_reads_of_memory(group, value) != 1)
      continue;
    if (GraphValue* shape = find_shape(member, output))
      return Choice{.output = &output, .root = &value, .memory = shape};
  }
  return std::nullopt;
}

// The input that the output is copied to at the end, if nothing else uses it.
std::optional<ReusedMemory::Choice> ReusedMemory::find_write_back(
    const FusionGroup& group, const FusionGroup::Member& output) const {
  Node* copy = nullptr;
  for (Node* user : output.value->users()) {
    if (std::ranges::find(group.nodes, user) != group.nodes.end()) continue;
    if (copy || !is_copy_write(*user)) return std::nullopt;
    copy = user;
  }
  if (!copy || &copy->args()[1].value() != output.value ||
      copy->args()[0].kind() != NodeArgument::Kind::Value)
    return std::nullopt;
  GraphValue& input = copy->args()[0].value();
  const bool is_input = input.node().kind() == NodeKind::Input;
  if (!is_input || &input == output.value || !lie_alike(input.tensor(), output.value->tensor()))
    return std::nullopt;
  for (const GraphValue* each : by_group_[memory_.group(input)]) {
    if (each != &input && each != copy->values().data()) return std::nullopt;
    for (const Node* user : each->users()) {
      const bool is_known = user == copy || user->kind() == NodeKind::Output ||
                            std::ranges::find(group.nodes, user) != group.nodes.end();
      if (!is_known) return std::nullopt;
    }
  }
  const auto read = std::ranges::find(group.read, &input, &FusionGroup::Member::value);
  const bool is_read_so =
      read == group.read.end() || (count_reads(group, input) == 1 && read->dims == output.dims);
  if (!is_read_so) return std::nullopt;
  return Choice{.output = &output, .root = &input, .memory = &input, .write_back = copy};
}

std::optional<ReusedMemory::Choice> ReusedMemory::choose(
    const FusionGroup& group, const std::vector<const FusionGroup::Member*>& outputs) const {
  if (group.has_folds) return std::nullopt;
  for (const auto find : {&ReusedMemory::find_write_back, &ReusedMemory::find_dead_value}) {
    for (const FusionGroup::Member* output : outputs) {
      if (!group.is_of_points(output->dims)) continue;
      if (const std::optional<Choice> found = (this->*find)(group, *output)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace opwright
