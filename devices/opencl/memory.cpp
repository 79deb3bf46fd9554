#include "devices/opencl/memory.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include <CL/cl.h>

#include "devices/opencl/device.h"
#include "devices/opencl/loader.h"
#include "devices/opencl/stream.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright::opencl {
namespace {

constexpr size_t kLeastBlock = 512;

// The size class: four between each power of two and the next.
size_t block_size(size_t bytes) {
  if (bytes <= kLeastBlock) return kLeastBlock;
  const size_t step = std::bit_ceil(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

// "1.50 MiB".
std::string size_text(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto number = static_cast<double>(bytes);
  size_t unit = 0;
  for (; number >= 1024 && unit + 1 < std::size(kUnits); ++unit) number /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.2f %s", number, kUnits[unit]);
  return text;
}

}  // namespace

void* Memory::take_cached(size_t bytes, cl_command_queue queue) {
  const auto place = cached_.find({queue, bytes});
  if (place == cached_.end() || place->second.empty()) return nullptr;
  void* memory = place->second.back();
  place->second.pop_back();
  return memory;
}

void* Memory::make_block(size_t bytes) {
  if (bytes > largest_ || static_cast<uint64_t>(reserved_) + bytes > total_) return nullptr;
  void* memory = opencl().clSVMAlloc(context_, CL_MEM_READ_WRITE, bytes, 0);
  if (memory == nullptr) return nullptr;
  reserved_ += static_cast<int64_t>(bytes);
  peak_reserved_ = std::max(peak_reserved_, reserved_);
  ++blocks_;
  return memory;
}

void Memory::throw_out_of_memory(size_t wanted) const {
  throw_error("MemoryError", "opencl:", index_, " is out of memory: wanted ", size_text(wanted),
              ", allocated ", size_text(static_cast<uint64_t>(allocated_)), ", cached ",
              size_text(static_cast<uint64_t>(reserved_ - allocated_)), ", total ",
              size_text(total_), ", largest allocation ", size_text(largest_),
              "; drop tensors that are not needed, or use smaller batches "
              "(opwright.opencl.empty_cache() releases cached memory)");
}

void Memory::note_allocation(void* memory, size_t bytes) {
  live_.emplace(memory, bytes);
  allocated_ += static_cast<int64_t>(bytes);
  peak_allocated_ = std::max(peak_allocated_, allocated_);
  ++allocations_;
}

void* Memory::allocate(size_t bytes, cl_command_queue queue) {
  const size_t size = bytes > largest_ ? bytes : std::min<size_t>(block_size(bytes), largest_);
  {
    const std::lock_guard lock(mutex_);
    void* memory = take_cached(size, queue);
    if (memory == nullptr) memory = make_block(size);
    if (memory != nullptr) {
      note_allocation(memory, size);
      return memory;
    }
  }
  release_cache();
  const std::lock_guard lock(mutex_);
  void* memory = make_block(size);
  if (memory == nullptr) throw_out_of_memory(bytes);
  note_allocation(memory, size);
  return memory;
}

void Memory::free(void* memory, cl_command_queue queue) noexcept {
  const std::lock_guard lock(mutex_);
  const auto place = live_.find(memory);
  if (place == live_.end()) return;
  const size_t size = place->second;
  live_.erase(place);
  allocated_ -= static_cast<int64_t>(size);
  cached_[{queue, size}].push_back(memory);
}

void Memory::release_cache() {
  decltype(cached_) taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(cached_);
  }
  // Queues may still use freed memory, and memory that other threads free from here on is not
  // included. If a queue failed, its memory is never released.
  find_device(index_).finish_all();
  const std::lock_guard lock(mutex_);
  for (const auto& [key, list] : taken) {
    for (void* memory : list) opencl().clSVMFree(context_, memory);
    reserved_ -= static_cast<int64_t>(key.second * list.size());
  }
}

void Memory::release_cache_of(cl_command_queue queue) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(cached_, [&](const auto& entry) {
    if (entry.first.first != queue) return false;
    for (void* memory : entry.second) opencl().clSVMFree(context_, memory);
    reserved_ -= static_cast<int64_t>(entry.first.second * entry.second.size());
    return true;
  });
}

int64_t Memory::statistic(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  if (key == "allocated") return allocated_;
  if (key == "reserved") return reserved_;
  if (key == "peak_allocated") return peak_allocated_;
  if (key == "peak_reserved") return peak_reserved_;
  if (key == "allocations") return allocations_;
  if (key == "device_allocations") return blocks_;
  return -1;
}

void Memory::reset_peaks() {
  const std::lock_guard lock(mutex_);
  peak_allocated_ = allocated_;
  peak_reserved_ = reserved_;
}

Scratch::Scratch(Device& device, size_t bytes, cl_command_queue queue)
    : device_(device), queue_(queue), data_(device.memory().allocate(bytes, queue)) {}

Scratch::~Scratch() { device_.memory().free(data_, queue_); }

void allocate(int32_t index, size_t bytes, OpwStream* stream, void** memory) {
  Device& device = find_device(index);
  *memory = device.memory().allocate(bytes, queue_of(device, stream));
}

void free_memory(int32_t index, void* memory, size_t /*bytes*/, OpwStream* stream) {
  Device* device = find_device_or_null(index);
  if (device == nullptr) return;
  device->memory().free(memory, stream != nullptr ? stream->queue : device->queue());
}

void empty_cache(int32_t index) {
  Device* device = find_device_or_null(index);
  if (device == nullptr) return;
  try {
    device->memory().release_cache();
  } catch (const Error&) {  // of a queue: reported by a later call that can fail
  }
}

int64_t memory_statistic(int32_t index, const char* key) {
  Device* device = find_device_or_null(index);
  return device != nullptr ? device->memory().statistic(key) : -1;
}

void reset_peaks(int32_t index) {
  Device* device = find_device_or_null(index);
  if (device != nullptr) device->memory().reset_peaks();
}

}  // namespace opwright::opencl
