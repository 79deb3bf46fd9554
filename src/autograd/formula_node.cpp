#include "opwright/autograd/formula_node.h"

#include <utility>

#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/dispatch/autograd_hooks.h"
#include "opwright/error.h"

namespace opwright {
namespace {

Tensor with_history(const Tensor& tensor, TapeNodePtr node, uint32_t place) {
  Tensor result = alias_of(tensor);
  set_history(result, std::move(node), place);
  return result;
}

}  // namespace

SavedTensorHooks* saved_tensor_hooks() noexcept { return this_autograd_settings.saved_hooks; }
SavedTensorHooks* set_saved_tensor_hooks(SavedTensorHooks* hooks) noexcept {
  return std::exchange(this_autograd_settings.saved_hooks, hooks);
}

PackedTensorPtr SavedTensor::pack() {
  if (!saved_tensor_hooks() || !tensor.is_defined()) [[likely]]
    return nullptr;
  struct WithoutHooks {
    SavedTensorHooks* hooks = set_saved_tensor_hooks(nullptr);
    ~WithoutHooks() { set_saved_tensor_hooks(hooks); }
  } without;
  const AttentionScope grad_off(kAttentionGradOff, true);
  Edge history = result_place == kNotAResult ? edge_of(tensor) : Edge();
  const uint64_t version_before = version_of(tensor);
  const bool may_pass_itself = result_place == kNotAResult && !history;
  PackedTensorPtr packed = without.hooks->pack(may_pass_itself ? tensor : alias_of(tensor));
  OPWRIGHT_CHECK(version_of(tensor) == version_before,
                 "A saved tensor pack hook is modifying its input in place. The tensor is also a "
                 "value of the program; pack a clone of it.");
  packed->history = std::move(history);
  tensor = Tensor();
  return packed;
}

Tensor SavedTensor::unpack(TapeNode& node, PackedTensor* packed) && {
  const bool is_recorded = thread_state().grad_is_enabled();
  const bool is_result = result_place != kNotAResult;
  if (packed) [[unlikely]] {
    Tensor value = packed->unpack();
    if (!is_recorded) return value;
    if (is_result) return with_history(value, TapeNodePtr::share(&node), result_place);
    const Edge& history = packed->history;
    return history ? with_history(value, history.node, history.place) : value;
  }
  if (!is_result || !is_recorded) return std::move(tensor);
  return with_history(tensor, TapeNodePtr::share(&node), result_place);
}

void GradientVersions::throw_written(const TapeNode& node, size_t index) {
  throw_error("RuntimeError", node.name(), ": the backward formula modified gradient ", index,
              " in place", node.line_text(),
              "\n  Others may hold the same gradient: compute a new tensor, or write to a clone.");
}

}  // namespace opwright
