// Memory of the cpu that devices copy from and to without waiting, kept for later allocations.
//
// A block that a copy uses is not given out again before that copy is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <cuda_runtime_api.h>

#include "opwright/c_api.h"

namespace opwright::cuda {

// Whether [memory, memory + bytes) lies in one block of ours.
[[nodiscard]] bool is_pinned(const void* memory, size_t bytes);
// A copy of the block was queued on `stream` of the device in use.
void note_pinned_use(const void* memory, cudaStream_t stream);

void empty_pinned_cache();
// "pinned_allocated" and "pinned_reserved"; nothing for another name.
std::optional<int64_t> pinned_statistic(const char* key);

// Functions of the table.
int allocate_pinned_cuda(const OpwHost* host, size_t bytes, void** memory);
void free_pinned_cuda(void* memory, size_t bytes);

}  // namespace opwright::cuda
