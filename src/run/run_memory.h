// RunMemory: where the large intermediate values of a run lie.
//
// The first run of some sizes is watched. If the next one has the same, the lives that ended within
// the first are placed in one block, which serves all runs until sizes change. What a kernel asks
// for is matched by its step, its turn and its size; anything else comes from the allocator, as do
// values that outlive the run.
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
  // Before a run. Gives the source to set for its length; null: none.
  [[nodiscard]] StorageSource* begin(bool has_new_sizes) noexcept;
  void begin_step(uint32_t step) noexcept {
    step_ = step;
    while (next_ < expected_.size() && expected_[next_].step < step) ++next_;
  }
  // After a run that ended well.
  void end() noexcept;
  // After one that did not.
  void abandon() noexcept { log_.reset(); }

  [[nodiscard]] bool serve(size_t nbytes, ServedMemory& served) noexcept override;

  [[nodiscard]] size_t placed_bytes() const noexcept { return arena_ ? arena_->bytes() : 0; }
  [[nodiscard]] size_t value_bytes() const noexcept { return arena_ ? value_bytes_ : 0; }

 private:
  // In the order in which the watched run asked.
  struct Expected {
    size_t bytes;
    uint32_t step;
    bool is_placed;
  };

  void forget() noexcept;
  void place_watched() noexcept;
  void place_lives(const AllocationLog& log);
  [[nodiscard]] bool serve_from_arena(size_t nbytes, ServedMemory& served) noexcept;

  bool is_placed_ = false;  // `expected_` tells what comes
  uint32_t watches_ = 0;    // with these sizes
  uint32_t surprises_ = 0;  // of this run: nothing such was expected, or its place was taken
  uint32_t step_ = 0;
  size_t next_ = 0;           // of `expected_`
  AllocationLogPtr log_;      // of this run
  AllocationLogPtr watched_;  // of the last one, not placed yet
  ArenaPtr arena_;
  std::vector<Expected> expected_;
  size_t value_bytes_ = 0;
};

}  // namespace opwright
