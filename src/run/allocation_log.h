// AllocationLog: the large allocations of one run, with the times of allocation and release.
//
// Lifetimes are observed, not derived: a view extends that of its base, and a kernel may keep its
// memory or allocate more than its results need.
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
  static constexpr uint32_t kMostPerStep = 64;  // further allocations are not logged
  static constexpr uint32_t kStillAlive = UINT32_MAX;

  struct Entry {
    AllocationLog* log;
    void* memory;
    size_t bytes;
    uint32_t step;
    uint32_t born;
    std::atomic<uint32_t> died;  // kStillAlive: not yet released
  };

  // Allocates memory whose release will be logged; false if there is none, or if the step has too
  // many entries.
  [[nodiscard]] bool serve(size_t nbytes, uint32_t step, ServedMemory& served) noexcept;

  // Ends the run: memory released from now on outlived it.
  void finish() noexcept { finished_ = clock_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] bool outlived_the_run(const Entry& entry) const noexcept {
    return entry.died.load(std::memory_order_acquire) >= finished_;
  }

  [[nodiscard]] const std::deque<Entry>& entries() const noexcept { return entries_; }

 private:
  static void free_entry(void* entry) noexcept;

  std::deque<Entry> entries_;  // in allocation order; entries do not move
  std::atomic<uint32_t> clock_{0};
  uint32_t finished_ = UINT32_MAX;
  uint32_t last_step_ = UINT32_MAX;
  uint32_t of_step_ = 0;
};

using AllocationLogPtr = IntrusivePtr<AllocationLog>;

}  // namespace opwright
