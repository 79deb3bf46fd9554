// A level that knows its live wrappers: a trace whose values may become real ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {

// A second base class of such a level. It is notified of the creation and the destruction of each
// of its wrappers, on any thread.
class WrapperKeeper {
 public:
  WrapperKeeper() = default;
  WrapperKeeper(const WrapperKeeper&) = delete;
  WrapperKeeper& operator=(const WrapperKeeper&) = delete;

  // Whether any level tracks its wrappers: other levels pay one load.
  [[nodiscard]] static bool is_any_asking() noexcept {
    return num_asking.load(std::memory_order_relaxed) != 0;
  }
  static void note_made(TensorImpl& wrapper);
  static void note_gone(TensorImpl& wrapper) noexcept;

 protected:
  virtual ~WrapperKeeper();
  // Tracks wrappers from here on.
  void ask_for_wrappers() noexcept;
  // The live ones, with a count on each. Called with the GIL held if one could be in destruction.
  [[nodiscard]] std::vector<Tensor> live_wrappers();

 private:
  static std::atomic<int32_t> num_asking;

  bool is_asking_ = false;
  std::mutex mutex_;
  std::unordered_set<TensorImpl*> wrappers_;  // under the lock
};

}  // namespace opwright
