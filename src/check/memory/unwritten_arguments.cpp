#include "opwright/check/memory/unwritten_arguments.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "opwright/check/memory/memory_sharing.h"
#include "opwright/check/values/element_text.h"
#include "opwright/error.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

bool is_on_cpu(const OpwTensor* tensor) { return tensor->dl.device.type == kOpwDeviceCpu; }

bool shares_memory_with_written(const Operator& op, Arguments args, const Tensor& tensor) {
  bool shares = false;
  op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* other) {
    if (!op.writes_argument(index) || !is_on_cpu(other)) return;
    const BorrowedTensor written(other);
    shares = shares || share_memory(tensor, written);
  });
  return shares;
}

UnwrittenArguments::Snapshot take_snapshot(uint32_t argument, uint32_t position,
                                           const Tensor& tensor) {
  UnwrittenArguments::Snapshot snapshot{argument, position, make_view(tensor, geometry_of(tensor)),
                                        make_empty(tensor.sizes(), tensor.dtype())};
  copy_elements(snapshot.copy, tensor);
  return snapshot;
}

// The first element, in logical order, whose bytes changed.
std::optional<int64_t> find_changed_element(const Tensor& before, const Tensor& after) {
  const auto old_bytes = bytes_of(before);
  const auto changed = std::ranges::mismatch(old_bytes, bytes_of(after)).in1;
  if (changed == old_bytes.end()) return std::nullopt;
  return (changed - old_bytes.begin()) / static_cast<int64_t>(item_size(before.dtype()));
}

// The letter that marks the argument: its own, or one that the schema does not use.
std::string find_alias_letter(const Schema& schema, const Argument& argument) {
  if (!argument.alias.before.empty()) return argument.alias.before.front();
  std::string letter = "a";
  const auto is_used = [&](const Argument& each) { return each.alias.mentions(letter); };
  while (letter[0] < 'z' && std::ranges::any_of(schema.arguments, is_used)) ++letter[0];
  return letter;
}

// "Tensor(a!)[] tracks"
std::string declaration_of(const Schema& schema, const Argument& argument) {
  std::string text = to_text(argument.type);
  const std::string_view tensor = "Tensor";
  text.insert(text.find(tensor) + tensor.size(), "(" + find_alias_letter(schema, argument) + "!)");
  return text + " " + argument.name;
}

std::string change_text(const Operator& op, const UnwrittenArguments::Snapshot& snapshot,
                        const Tensor& after, int64_t element) {
  const Argument& argument = op.schema().arguments[snapshot.argument];
  std::string name = argument.name;
  const bool is_optional = argument.type.is_optional();
  const Type& type = is_optional ? argument.type.element() : argument.type;
  if (type.is_list()) name += concatenate("[", snapshot.position, "]");
  return concatenate(op.name(), " changed its argument '", name, "' (", after,
                     "), which its schema does not mark as written: element ",
                     index_text(element, after.sizes()), " was ",
                     element_text(snapshot.copy, element), " and is ", element_text(after, element),
                     "\n  Declare it: mutates_args={'", argument.name, "'} in custom_op, or ",
                     declaration_of(op.schema(), argument), " in the schema.");
}

}  // namespace

UnwrittenArguments::UnwrittenArguments(const Operator& op, Arguments args) : op_(op) {
  uint32_t argument = 0;
  uint32_t position = 0;
  op.visit_tensor_arguments(args, [&](uint32_t index, OpwTensor* tensor) {
    position = index == argument ? position : 0;
    argument = index;
    const BorrowedTensor borrowed(tensor);
    if (!op.writes_argument(index) && is_on_cpu(tensor) &&
        !shares_memory_with_written(op, args, borrowed)) {
      snapshots_.push_back(take_snapshot(index, position, borrowed));
    }
    ++position;
  });
}

std::optional<std::string> UnwrittenArguments::find_change() const {
  for (const Snapshot& snapshot : snapshots_) {
    const Tensor after = as_contiguous(snapshot.memory);
    const std::optional<int64_t> element = find_changed_element(snapshot.copy, after);
    if (element) return change_text(op_, snapshot, after, *element);
  }
  return std::nullopt;
}

}  // namespace opwright
