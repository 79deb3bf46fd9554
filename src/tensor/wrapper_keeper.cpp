#include "opwright/tensor/wrapper_keeper.h"

namespace opwright {

std::atomic<int32_t> WrapperKeeper::num_asking{0};

WrapperKeeper::~WrapperKeeper() {
  if (is_asking_) num_asking.fetch_sub(1, std::memory_order_relaxed);
}

void WrapperKeeper::ask_for_wrappers() noexcept {
  if (!is_asking_) num_asking.fetch_add(1, std::memory_order_relaxed);
  is_asking_ = true;
}

void WrapperKeeper::note_made(TensorImpl& wrapper) {
  auto* keeper = dynamic_cast<WrapperKeeper*>(wrapper.level);
  if (!keeper || !keeper->is_asking_) return;
  const std::lock_guard lock(keeper->mutex_);
  keeper->wrappers_.insert(&wrapper);
}

void WrapperKeeper::note_gone(TensorImpl& wrapper) noexcept {
  auto* keeper = wrapper.level ? dynamic_cast<WrapperKeeper*>(wrapper.level) : nullptr;
  if (!keeper || !keeper->is_asking_) return;
  const std::lock_guard lock(keeper->mutex_);
  keeper->wrappers_.erase(&wrapper);
}

std::vector<Tensor> WrapperKeeper::live_wrappers() {
  const std::lock_guard lock(mutex_);
  std::vector<Tensor> live;
  live.reserve(wrappers_.size());
  for (TensorImpl* wrapper : wrappers_) live.push_back(Tensor::borrow(wrapper));
  return live;
}

}  // namespace opwright
