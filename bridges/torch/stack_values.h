// Converts values between torch's stack and our calling convention, with a plan made once for each
// operator: the stack itself has no types.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bridges/torch/handle_tensor.h"
#include "bridges/torch/stable_abi.h"
#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {

struct StackType {
  ValueKind kind = ValueKind::Other;
  bool is_optional = false;
  bool is_list = false;
  bool has_optional_elements = false;
  bool is_written = false;

  // For an optional: the type of its value.
  [[nodiscard]] StackType required() const {
    StackType type = *this;
    type.is_optional = false;
    return type;
  }
  // For a list.
  [[nodiscard]] StackType element() const {
    return {.kind = kind,
            .is_optional = has_optional_elements,
            .is_list = false,
            .has_optional_elements = false,
            .is_written = is_written};
  }
  [[nodiscard]] bool is_plain_tensor() const {
    return kind == ValueKind::Tensor && !is_optional && !is_list;
  }
};

struct StackPlan {
  std::vector<StackType> arguments;
  std::vector<StackType> results;
  uint32_t num_tensors = 0;  // that are arguments themselves
  bool writes = false;
  bool has_views = false;  // a result is a view of an argument
};

// The description must be one for which uncarried_reason is empty.
[[nodiscard]] StackPlan make_stack_plan(const OperatorDescription& description);

// Whether it is None or an undefined tensor.
[[nodiscard]] bool is_nothing(const OpwValue& value) noexcept;

// Frees what a value of torch's stack owns.
void release_stack_value(const StackType& type, StableValue value) noexcept;
// Converts a borrowed value to an owned one of torch's stack; throws Error.
[[nodiscard]] StableValue copy_to_stack(const StackType& type, const OpwValue& value);
// The same, and `value` is released in any case.
[[nodiscard]] StableValue give_to_stack(const StackType& type, OpwValue& value);
// Converts an owned value of torch's stack to an owned one of ours; consumed in any case.
[[nodiscard]] OpwValue take_from_stack(const StackType& type, StableValue value);

// When the tensors of a call are read.
enum class Reading : uint8_t {
  Now,    // a kernel runs
  Later,  // Python runs: the tensors may have no memory
};

// The arguments of one call: takes ownership of the stack's values, lends them as ours.
class StackArguments {
 public:
  StackArguments(const StackPlan& plan, const StableValue* stack) : plan_(plan), stack_(stack) {}
  StackArguments(const StackArguments&) = delete;
  StackArguments& operator=(const StackArguments&) = delete;
  ~StackArguments();

  // Throws Error; then place() is the index of the argument that cannot be read.
  void read(Reading reading);
  [[nodiscard]] size_t place() const { return place_; }
  [[nodiscard]] const OpwValue* values() const { return values_; }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(plan_.arguments.size()); }
  // The flags of all tensors, ORed.
  [[nodiscard]] uint32_t flags() const { return flags_; }

 private:
  OpwValue read_value(const StackType& type, StableValue value);
  OpwValue read_list(const StackType& type, StableValue value);
  OpwValue read_tensor_list(StableList* list, size_t size, bool is_written);
  OpwValue read_generator(StableValue value);
  OpwTensor* show(HandleTensor& view, StableValue value, bool is_written);
  HandleTensor& next_view();
  void* allocate(size_t bytes);

  static constexpr size_t kInline = 12;
  const StackPlan& plan_;
  const StableValue* stack_;
  Reading reading_ = Reading::Now;
  uint32_t flags_ = 0;
  uint32_t num_views_ = 0;
  size_t place_ = 0;
  OpwValue* values_ = inline_values_;
  HandleTensor* views_ = inline_views();
  OpwValue inline_values_[kInline];
  alignas(HandleTensor) unsigned char inline_views_[kInline * sizeof(HandleTensor)];
  std::vector<std::unique_ptr<unsigned char[]>> blocks_;  // for lists and for long calls
  std::vector<OpwObject*> objects_;

  HandleTensor* inline_views() { return reinterpret_cast<HandleTensor*>(inline_views_); }
};

// Calls visit(handle) for each tensor among the arguments until it returns false; then false.
template <class Visit>
bool visit_list(StableList* list, bool has_optional_elements, Visit& visit) {
  size_t size = 0;
  torch_abi.list_size(list, &size);
  for (size_t i = 0; i < size; ++i) {
    StableValue item = 0;
    torch_abi.list_item(list, i, &item);
    if (has_optional_elements) {
      if (item == 0) continue;
      item = *reinterpret_cast<const StableValue*>(item);
    }
    if (!visit(reinterpret_cast<AtenTensorHandle>(item))) return false;
  }
  return true;
}
template <class Visit>
bool visit_tensors(const StackPlan& plan, const StableValue* stack, Visit&& visit,
                   bool only_written = false) {
  for (size_t i = 0; i < plan.arguments.size(); ++i) {
    const StackType& type = plan.arguments[i];
    if (type.kind != ValueKind::Tensor || (only_written && !type.is_written)) continue;
    StableValue value = stack[i];
    if (type.is_optional) {
      if (value == 0) continue;
      value = *reinterpret_cast<const StableValue*>(value);
    }
    const bool goes_on = type.is_list ? visit_list(reinterpret_cast<StableList*>(value),
                                                   type.has_optional_elements, visit)
                                      : visit(reinterpret_cast<AtenTensorHandle>(value));
    if (!goes_on) return false;
  }
  return true;
}

}  // namespace opwright::torch_bridge
