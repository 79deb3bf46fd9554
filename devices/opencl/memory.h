// Memory of a device: shared virtual memory, cached when it is freed.
//
// Blocks have sizes of a few classes. A block that was freed on a queue is reused for work on the
// same queue, without waiting: the queue is in order. Others wait until the cache is emptied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <CL/cl.h>

#include "opwright/c_api.h"

namespace opwright::opencl {

class Device;

class Memory {
 public:
  Memory(int32_t index, cl_context context, uint64_t total, uint64_t largest)
      : index_(index), context_(context), total_(total), largest_(largest) {}

  // MemoryError with the allocated and cached sizes if there is no memory left.
  [[nodiscard]] void* allocate(size_t bytes, cl_command_queue queue);
  void free(void* memory, cl_command_queue queue) noexcept;
  // Releases cached memory, after all queues of the device. RuntimeError if one failed.
  void release_cache();
  // The caller has waited for the queue.
  void release_cache_of(cl_command_queue queue) noexcept;
  // -1 for an unknown key.
  [[nodiscard]] int64_t statistic(std::string_view key) const;
  void reset_peaks();

 private:
  [[nodiscard]] void* take_cached(size_t bytes, cl_command_queue queue);
  [[nodiscard]] void* make_block(size_t bytes);
  [[noreturn]] void throw_out_of_memory(size_t wanted) const;
  void note_allocation(void* memory, size_t bytes);

  const int32_t index_;
  cl_context context_;
  const uint64_t total_, largest_;
  mutable std::mutex mutex_;
  std::unordered_map<void*, size_t> live_;
  std::map<std::pair<cl_command_queue, size_t>, std::vector<void*>> cached_;
  int64_t allocated_ = 0, reserved_ = 0, peak_allocated_ = 0, peak_reserved_ = 0;
  int64_t allocations_ = 0, blocks_ = 0;
};

// Temporary memory for one call.
class [[nodiscard]] Scratch {
 public:
  Scratch(Device& device, size_t bytes, cl_command_queue queue);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] void* data() const { return data_; }

 private:
  Device& device_;
  cl_command_queue queue_;
  void* data_;
};

// The functions of the table; those that can fail throw.
void allocate(int32_t index, size_t bytes, OpwStream* stream, void** memory);
void free_memory(int32_t index, void* memory, size_t bytes, OpwStream* stream);
void empty_cache(int32_t index);
int64_t memory_statistic(int32_t index, const char* key);
void reset_peaks(int32_t index);

}  // namespace opwright::opencl
