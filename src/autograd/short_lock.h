// A lock for what a node saved: a backward on one thread may free what another thread reads.
#pragma once

#include <atomic>
#include <thread>

namespace opwright {

// Held for a few instructions.
class [[nodiscard]] ShortLock {
 public:
  explicit ShortLock(std::atomic<bool>& is_taken) noexcept : is_taken_(is_taken) {
    while (is_taken_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  ~ShortLock() { is_taken_.store(false, std::memory_order_release); }
  ShortLock(const ShortLock&) = delete;
  ShortLock& operator=(const ShortLock&) = delete;

 private:
  std::atomic<bool>& is_taken_;
};

}  // namespace opwright
