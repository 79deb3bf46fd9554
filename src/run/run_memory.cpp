#include "opwright/run/run_memory.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "opwright/run/allocation_log.h"
#include "opwright/run/arena.h"
#include "opwright/run/placement.h"

namespace opwright {
namespace {

// A run that asks for something else than the one that was watched is a reason to watch again, so
// often.
constexpr uint32_t kMostWatches = 4;

}  // namespace

void RunMemory::forget() noexcept {
  arena_.reset();
  log_.reset();
  expected_.clear();
  is_placed_ = false;
  runs_ = 0;
  watches_ = 0;
  surprises_ = 0;
}

StorageSource* RunMemory::begin(bool has_new_sizes) noexcept {
  if (has_new_sizes) forget();
  ++runs_;
  next_ = 0;
  const bool was_surprised = std::exchange(surprises_, 0) != 0;
  if (is_placed_ && !(was_surprised && watches_ < kMostWatches)) return this;
  if (!is_static_ && runs_ < 2) return nullptr;
  log_ = AllocationLogPtr::take(new (std::nothrow) AllocationLog);
  ++watches_;
  return log_ ? this : nullptr;
}

void RunMemory::begin_step(uint32_t step) noexcept {
  step_ = step;
  while (next_ < expected_.size() && expected_[next_].step < step) ++next_;
}

bool RunMemory::serve(size_t nbytes, ServedMemory& served) noexcept {
  return log_ ? log_->serve(nbytes, step_, served) : serve_from_arena(nbytes, served);
}

bool RunMemory::serve_from_arena(size_t nbytes, ServedMemory& served) noexcept {
  for (size_t i = next_; i < expected_.size() && expected_[i].step == step_; ++i) {
    if (expected_[i].bytes != nbytes) continue;
    next_ = i + 1;
    if (!expected_[i].is_placed) return false;
    if (arena_->take(i, served)) return true;
    break;
  }
  ++surprises_;
  return false;
}

void RunMemory::end() noexcept {
  if (!log_) return;
  try {
    place_lives();
    log_.reset();
  } catch (const std::bad_alloc&) {
    forget();
  }
}

void RunMemory::place_lives() {
  expected_.clear();
  arena_.reset();
  value_bytes_ = 0;
  std::vector<Lifetime> lives;
  for (const AllocationLog::Entry& entry : log_->entries()) {
    const uint32_t died = entry.died.load(std::memory_order_acquire);
    const bool is_placed = died != AllocationLog::kStillAlive;
    expected_.push_back({entry.bytes, entry.step, is_placed});
    lives.push_back({is_placed ? entry.bytes : 0, entry.born, is_placed ? died : entry.born});
    if (is_placed) value_bytes_ += entry.bytes;
  }
  is_placed_ = true;
  if (value_bytes_ == 0) return;
  const Placement placement = place(lives);
  arena_ = Arena::make(lives, placement);
  for (size_t i = 0; i < expected_.size(); ++i) {
    expected_[i].is_placed &= arena_ && placement.offsets[i] != kNotPlaced;
  }
}

}  // namespace opwright
