// RunMemory: provides the memory of a run's large intermediate values.
//
// The first run with given sizes is observed. If the next run has the same sizes, the lifetimes
// that ended within the first are placed in one block, which serves all runs until sizes change. A
// kernel's allocation is matched by step, order and size; anything else comes from the allocator,
// as do values that outlive the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "opwright/run/allocation_log.h"
#include "opwright/run/arena.h"
#include "opwright/tensor/storage_source.h"

namespace opwright {

class RunMemory final : public StorageSource {
 public:
  // Call it before a run. Returns the source to set while it runs; null: none.
  [[nodiscard]] StorageSource* begin(bool has_new_sizes) noexcept;
  void begin_step(uint32_t step) noexcept {
    step_ = step;
    while (next_ < expected_.size() && expected_[next_].step < step) ++next_;
  }
  // Call it after a successful run.
  void end() noexcept;
  // Call it after a failed run.
  void abandon() noexcept { log_.reset(); }

  [[nodiscard]] bool serve(size_t nbytes, ServedMemory& served) noexcept override;

  [[nodiscard]] size_t placed_bytes() const noexcept { return arena_ ? arena_->bytes() : 0; }
  [[nodiscard]] size_t value_bytes() const noexcept { return arena_ ? value_bytes_ : 0; }

 private:
  // In the allocation order of the observed run.
  struct Expected {
    size_t bytes;
    uint32_t step;
    bool is_placed;
  };

  void forget() noexcept;
  void place_watched() noexcept;
  void place_lives(const AllocationLog& log);
  [[nodiscard]] bool serve_from_arena(size_t nbytes, ServedMemory& served) noexcept;

  bool is_placed_ = false;  // `expected_` is valid
  uint32_t watches_ = 0;    // runs observed with these sizes
  uint32_t surprises_ = 0;  // unexpected allocations of this run, or ones whose slot was in use
  uint32_t step_ = 0;
  size_t next_ = 0;           // index into `expected_`
  AllocationLogPtr log_;      // of this run
  AllocationLogPtr watched_;  // of the last run, not placed yet
  ArenaPtr arena_;
  std::vector<Expected> expected_;
  size_t value_bytes_ = 0;
};

}  // namespace opwright
