// Tensors that a host gives to a kernel over its own memory, until the end of one call.
//
// They are counted, so a kernel copies and gives handles as of any tensor; whether all of them were
// given back is seen at the end.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <new>
#include <span>

#include "bridges/operators/view_tensor.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"

namespace opwright::bridges {

// For one call after the other; of the thread that runs the call. On the heap, since it stays for
// ever where somebody holds one of its tensors: see SpareTensors.
class LentTensors {
 public:
  LentTensors() = default;
  LentTensors(const LentTensors&) = delete;
  LentTensors& operator=(const LentTensors&) = delete;
  ~LentTensors() = default;

  // One handle, owned by whoever gets it. Row-major; `sizes` live as long as the call.
  [[nodiscard]] OpwTensor* lend(void* data, DType dtype, std::span<const int64_t> sizes,
                                ViewTensor::Use use);
  // The call is over. The memory of one that somebody still shows; null: all is given back.
  [[nodiscard]] const void* end() noexcept;
  // Whether handles of its tensors are still held: then it must neither be used nor freed.
  [[nodiscard]] bool is_held() const noexcept { return is_held_; }

 private:
  [[nodiscard]] ViewTensor* place(size_t index) {
    return std::launder(reinterpret_cast<ViewTensor*>(&memory_[index * sizeof(ViewTensor)]));
  }

  static constexpr size_t kUsual = 6;
  size_t size_ = 0;
  bool is_held_ = false;
  alignas(ViewTensor) std::byte memory_[kUsual * sizeof(ViewTensor)];
  std::list<ViewTensor> more_;
};

// Keeps one LentTensors from call to call. Any thread.
class SpareTensors {
 public:
  SpareTensors() = default;
  SpareTensors(const SpareTensors&) = delete;
  SpareTensors& operator=(const SpareTensors&) = delete;
  ~SpareTensors() { delete kept_.load(std::memory_order_acquire); }

  [[nodiscard]] LentTensors* take() {
    LentTensors* found = kept_.exchange(nullptr, std::memory_order_acquire);
    return found ? found : new LentTensors;
  }
  // Ends the call where that was not done.
  void give_back(LentTensors* lent) noexcept {
    (void)lent->end();
    if (!lent->is_held()) delete kept_.exchange(lent, std::memory_order_acq_rel);
  }

 private:
  std::atomic<LentTensors*> kept_{nullptr};
};

}  // namespace opwright::bridges
