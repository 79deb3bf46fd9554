// Tensors over a host's own memory that are lent to a kernel until the end of one call.
//
// They are counted, so a kernel copies and passes handles as of any tensor; the end of the call
// checks whether all were returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <new>
#include <span>
#include <utility>

#include "bridges/operators/view_tensor.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"

namespace opwright::bridges {

// Reused from call to call, on the thread that runs the call. On the heap, since it is kept
// permanently if one of its tensors is still held: see SpareTensors.
class LentTensors {
 public:
  LentTensors() = default;
  LentTensors(const LentTensors&) = delete;
  LentTensors& operator=(const LentTensors&) = delete;
  ~LentTensors() = default;

  // One handle, owned by the caller. Row-major; `sizes` must live as long as the call.
  [[nodiscard]] OpwTensor* lend(void* data, DType dtype, std::span<const int64_t> sizes,
                                ViewTensor::Use use);
  // Ends the call. Returns the memory of a tensor that is still held; null if all were returned.
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

// Keeps the LentTensors of a thread from call to call: one for all its calls, so that its memory is
// reused.
class SpareTensors {
 public:
  constexpr SpareTensors() = default;
  SpareTensors(const SpareTensors&) = delete;
  SpareTensors& operator=(const SpareTensors&) = delete;
  ~SpareTensors() { delete std::exchange(kept_, nullptr); }

  [[nodiscard]] LentTensors* take() {
    LentTensors* found = std::exchange(kept_, nullptr);
    return found ? found : new LentTensors;
  }
  // Ends the call if that was not done.
  void give_back(LentTensors* lent) noexcept {
    (void)lent->end();
    if (!lent->is_held()) delete std::exchange(kept_, lent);
  }

 private:
  LentTensors* kept_ = nullptr;
};

}  // namespace opwright::bridges
