#include "opwright/autograd/accumulate.h"

#include <mutex>
#include <utility>

#include "opwright/autograd/boundary.h"
#include "opwright/autograd/gradient_fit.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/functions.h"

namespace opwright {
void accumulate(const Tensor& leaf, Tensor gradient, uint32_t observers) {
  History& history = history_of(leaf);
  std::unique_lock<std::mutex> lock;
  if (history.accumulator) lock = static_cast<Accumulate&>(*history.accumulator).lock();
  Tensor& sum = history.gradient();
  const bool is_recorded = thread_state().grad_is_enabled();
  if (!sum.is_defined()) {
    gradient = fit_layout(std::move(gradient), leaf);
    if (is_recorded) {
      sum = std::move(gradient);
    } else {
      sum = is_sole_owner(gradient, observers) ? std::move(gradient) : gradient.detach().clone();
    }
  } else {
    sum = lifted(sum);  // the .grad of an outer tensor is written there
    if (is_recorded || impl(sum).level != impl(gradient).level) {
      sum = sum + gradient;
    } else {
      sum.add_(gradient);
    }
  }
}

Accumulate::Accumulate(const Tensor& leaf) : leaf_(&impl(leaf)) {
  add_place(ValueMeta(leaf));
  set_gradient_dtype(gradient_dtype_of(leaf));
}

Tensor Accumulate::leaf() const {
  const std::lock_guard lock(mutex_);
  return leaf_ ? Tensor::borrow(leaf_) : Tensor();
}

void Accumulate::forget_leaf() noexcept {
  const std::lock_guard lock(mutex_);
  leaf_ = nullptr;
}

// The count of a tensor being destroyed stays 1, so only the lock shows whether leaf() came first.
bool Accumulate::let_leaf_go() noexcept {
  TensorImpl* leaf = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!leaf_) return true;
    if (__atomic_load_n(&leaf_->count, __ATOMIC_ACQUIRE) == 1) {
      leaf_ = nullptr;
      return true;
    }
    leaf = leaf_;
  }
  release_tensor(leaf);
  return false;
}

void Accumulate::apply(std::span<Tensor> gradients, std::span<Tensor> given) {
  if (!edges().empty()) {
    given[0] = std::move(gradients[0]);
    return;
  }
  const Tensor leaf = this->leaf();
  Tensor gradient = std::move(gradients[0]);
  if (!leaf.is_defined() || !gradient.is_defined()) return;
  // The engine holds the gradient for hooks that run after the node.
  const uint32_t observers = hooks() && !hooks()->after.empty() ? 1 : 0;
  accumulate(leaf, std::move(gradient), observers);
}

}  // namespace opwright
