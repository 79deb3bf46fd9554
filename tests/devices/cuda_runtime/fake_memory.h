// Fake device memory: addresses without anything behind them, and events that complete when a test
// says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "devices/cuda/allocator.h"
#include "opwright/c_api.h"

namespace opwright::cuda {

class FakeMemory final : public DeviceMemory {
 public:
  explicit FakeMemory(size_t capacity) : capacity_(capacity) {}

  void* allocate(size_t bytes) override {
    if (used_ + bytes > capacity_) return nullptr;
    used_ += bytes;
    ++allocations;
    const uintptr_t address = next_address_;
    next_address_ += bytes + kGap;
    segments_.emplace(address, bytes);
    return reinterpret_cast<void*>(address);
  }
  void free(void* memory) override {
    const auto found = segments_.find(reinterpret_cast<uintptr_t>(memory));
    used_ -= found->second;
    segments_.erase(found);
  }
  void* record_event(OpwStream* /*stream*/) override {
    return reinterpret_cast<void*>(++last_event_);
  }
  bool has_come(void* event, bool waits) override {
    if (waits) waited.push_back(reinterpret_cast<uintptr_t>(event));
    return waits || reinterpret_cast<uintptr_t>(event) <= events_that_came;
  }

  // Whether [data, data + bytes) is inside one segment.
  [[nodiscard]] bool holds(const void* data, size_t bytes) const {
    const auto address = reinterpret_cast<uintptr_t>(data);
    auto after = segments_.upper_bound(address);
    if (after == segments_.begin()) return false;
    --after;
    return address + bytes <= after->first + after->second;
  }
  [[nodiscard]] size_t used() const { return used_; }
  [[nodiscard]] size_t num_segments() const { return segments_.size(); }

  uintptr_t events_that_came = 0;  // numbered from 1 in the order of their recording
  std::vector<uintptr_t> waited;
  int allocations = 0;

 private:
  static constexpr uintptr_t kGap = 1 << 20;  // so that segments are never neighbours

  size_t capacity_;
  size_t used_ = 0;
  uintptr_t next_address_ = uintptr_t{1} << 32;
  uintptr_t last_event_ = 0;
  std::map<uintptr_t, size_t> segments_;
};

inline OpwStream* stream_number(uintptr_t number) { return reinterpret_cast<OpwStream*>(number); }

}  // namespace opwright::cuda
