#include "opwright/run/run_memory.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/run/allocation_log.h"
#include "opwright/run/arena.h"
#include "opwright/run/placement.h"

namespace opwright {
namespace {

// How often a run whose allocations differ from the observed ones triggers another observation.
constexpr uint32_t kMostWatches = 4;

// Null if out of memory.
AllocationLogPtr make_log() noexcept {
  try {
    return make_intrusive<AllocationLog>();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

void RunMemory::forget() noexcept {
  arena_.reset();
  log_.reset();
  watched_.reset();
  expected_.clear();
  is_placed_ = false;
  watches_ = 0;
  surprises_ = 0;
}

StorageSource* RunMemory::begin(bool has_new_sizes) noexcept {
  if (has_new_sizes) forget();
  if (watched_) place_watched();
  next_ = 0;
  const bool was_surprised = std::exchange(surprises_, 0) != 0;
  if (is_placed_ && !(was_surprised && watches_ < kMostWatches)) return this;
  log_ = make_log();
  ++watches_;
  return log_ ? this : nullptr;
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
  log_->finish();
  watched_ = std::move(log_);
}

void RunMemory::place_watched() noexcept {
  try {
    place_lives(*watched_);
    watched_.reset();
  } catch (const std::bad_alloc&) {
    forget();
  }
}

void RunMemory::place_lives(const AllocationLog& log) {
  expected_.clear();
  arena_.reset();
  value_bytes_ = 0;
  std::vector<Lifetime> lives;
  for (const AllocationLog::Entry& entry : log.entries()) {
    const bool is_placed = !log.outlived_the_run(entry);
    const uint32_t died = is_placed ? entry.died.load(std::memory_order_relaxed) : entry.born;
    expected_.push_back({entry.bytes, entry.step, is_placed});
    lives.push_back({is_placed ? entry.bytes : 0, entry.born, died});
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
