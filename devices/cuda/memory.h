// The memory of the table's devices: an allocator for each, over CUDA's runtime.
#pragma once

#include <cstddef>
#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::cuda {

// MemoryError with the device's memory and its use. The device is in use (use_device).
void* allocate_memory(int32_t index, size_t bytes, OpwStream* stream);
void free_memory(int32_t index, void* memory, OpwStream* stream) noexcept;

// Functions of the table.
int allocate_cuda(const OpwHost* host, int32_t index, size_t bytes, OpwStream* stream,
                  void** memory);
void free_cuda(int32_t index, void* memory, size_t bytes, OpwStream* stream);
void empty_cache_cuda(int32_t index);
int64_t statistic_cuda(int32_t index, const char* key);
void reset_peaks_cuda(int32_t index);

}  // namespace opwright::cuda
