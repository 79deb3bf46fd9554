#include "opwright/run/allocation_log.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "opwright/base/large_memory.h"

namespace opwright {

bool AllocationLog::serve(size_t nbytes, uint32_t step, ServedMemory& served) noexcept {
  if (std::exchange(last_step_, step) != step) of_step_ = 0;
  if (of_step_ == kMostPerStep) return false;
  void* memory = allocate_large_memory(nbytes);
  if (!memory) return false;  // the allocator reports the reason
  try {
    const uint32_t now = clock_.fetch_add(1, std::memory_order_relaxed);
    entries_.emplace_back(this, memory, nbytes, step, now, kStillAlive);
  } catch (...) {  // no memory for the entry
    free_large_memory(memory, nbytes);
    return false;
  }
  ++of_step_;
  add_ref();
  served = {memory, &free_entry, &entries_.back()};
  return true;
}

void AllocationLog::free_entry(void* entry) noexcept {
  Entry& freed = *static_cast<Entry*>(entry);
  AllocationLog& log = *freed.log;
  free_large_memory(freed.memory, freed.bytes);
  freed.died.store(log.clock_.fetch_add(1, std::memory_order_relaxed), std::memory_order_release);
  log.release();
}

}  // namespace opwright
