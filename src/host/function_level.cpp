#include "opwright/host/function_level.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "opwright/autograd/function_node.h"
#include "opwright/base/thread_state.h"
#include "opwright/error.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/differentiate/derivative_values.h"
#include "opwright/transforms/differentiate/jvp.h"
#include "opwright/transforms/functionalize/functionalize.h"
#include "opwright/transforms/vmap/vmap.h"

namespace opwright {
namespace {

bool is_tracked_at_any_level(const Tensor& tensor) {
  for (Tensor shown = tensor;;) {
    if (impl(shown).flags & kOpwFlagRequiresGrad) return true;
    Tensor inner = inner_value(shown);
    if (inner.get() == shown.get()) return false;
    shown = std::move(inner);
  }
}

// Of functionalize: those below it record, and not itself.
bool loses_backward(const Interpreter* level, std::span<const Tensor> inputs) {
  const auto* functionalize = dynamic_cast<const Functionalize*>(level);
  if (!functionalize || functionalize->traits().adopts_histories) return false;
  return thread_state().grad_is_enabled() && std::ranges::any_of(inputs, [](const Tensor& input) {
           return input.is_defined() && is_tracked_at_any_level(input);
         });
}

}  // namespace

void check_backward_is_kept(std::string_view function, std::span<const Tensor> inputs) {
  OPWRIGHT_CHECK_KIND(
      "NotImplementedError", !loses_backward(current_interpreter(), inputs), function,
      ": functionalize does not keep the backward of an autograd.Function\n  Define an operator "
      "with register_autograd (opwright.library.custom_op), or call it under no_grad.");
}

bool hides_history(std::span<const Tensor> inputs) {
  const Interpreter* level = current_interpreter();
  if (!dynamic_cast<const Vmap*>(level) && !dynamic_cast<const Jvp*>(level))
    return loses_backward(level, inputs);
  return std::ranges::any_of(inputs, [&](const Tensor& input) {
    return input.is_defined() && is_wrapper_of(*level, input.get());
  });
}

bool is_recorded_below(const Interpreter& level, const Tensor& tensor) {
  bool grad_is_on = thread_state().grad_is_enabled();
  Tensor shown = tensor;
  for (const Interpreter* each = &level; each; each = each->parent()) {
    if (each->traits().restores_grad_mode) grad_is_on &= each->grad_mode_at_entry();
    if (is_wrapper_of(*each, shown.get())) shown = inner_value(shown);
    const Interpreter* below = each->parent();
    if (impl(shown).level != below) continue;
    if (dynamic_cast<const Jvp*>(below)) return true;
    const bool records = grad_is_on && (!below || below->records());
    if (records && (impl(shown).flags & kOpwFlagRequiresGrad)) return true;
  }
  return false;
}

CallBelow::CallBelow(Grad& level, std::vector<Tensor> inputs)
    : level_(level), own_(std::move(inputs)) {
  for (const Tensor& input : own_)
    below_.push_back(input.is_defined() ? level.unwrap(input) : Tensor());
}

Tensor CallBelow::raise(const Tensor& output) const {
  if (!output.is_defined() || is_wrapper_of(level_, output.get())) return output;
  const Tensor* viewed = nullptr;
  for (size_t i = 0; i < own_.size(); ++i) {
    if (!below_[i].is_defined()) continue;
    if (below_[i].get() == output.get()) return own_[i];
    if (&storage_of(below_[i]) == &storage_of(output)) viewed = &own_[i];
  }
  Tensor raised = level_.wrap(output);
  if (viewed && is_wrapper_of(level_, viewed->get())) note_as_view(raised, *viewed);
  return raised;
}

}  // namespace opwright
