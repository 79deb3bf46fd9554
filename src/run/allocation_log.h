// AllocationLog: what large memory one run asked for, when, and when it let go of it.
//
// Lives are seen, not derived: a view lengthens that of its base, a kernel may keep what it got or
// take more than its results need.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/tensor/storage_source.h"

namespace opwright {

class AllocationLog : public Counted<AllocationLog> {
 public:
  static constexpr uint32_t kMostPerStep = 64;  // of the rest nothing is known
  static constexpr uint32_t kStillAlive = UINT32_MAX;

  struct Entry {
    AllocationLog* log;
    void* memory;
    size_t bytes;
    uint32_t step;
    uint32_t born;
    std::atomic<uint32_t> died;  // kStillAlive: not yet
  };

  // Memory of the allocator, whose end will be noted; false: there is none, or the step has enough
  // entries.
  [[nodiscard]] bool serve(size_t nbytes, uint32_t step, ServedMemory& served) noexcept;

  // The run is over: what goes from now on outlived it.
  void finish() noexcept { finished_ = clock_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] bool outlived_the_run(const Entry& entry) const noexcept {
    return entry.died.load(std::memory_order_acquire) >= finished_;
  }

  [[nodiscard]] const std::deque<Entry>& entries() const noexcept { return entries_; }

 private:
  static void free_entry(void* entry) noexcept;

  std::deque<Entry> entries_;  // in the order of their births; they do not move
  std::atomic<uint32_t> clock_{0};
  uint32_t finished_ = UINT32_MAX;
  uint32_t last_step_ = UINT32_MAX;
  uint32_t of_step_ = 0;
};

using AllocationLogPtr = IntrusivePtr<AllocationLog>;

}  // namespace opwright
