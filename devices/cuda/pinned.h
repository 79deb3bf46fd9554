// Cached pinned CPU memory, from and to which devices copy asynchronously.
//
// A block that a copy uses is not reused before that copy is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <cuda_runtime_api.h>
#include <driver_types.h>

#include "opwright/c_api.h"

namespace opwright::cuda {

// Whether [memory, memory + bytes) is inside one of our blocks.
[[nodiscard]] bool is_pinned(const void* memory, size_t bytes);
// Records that a copy of the block was queued on `stream` of the device in use.
void note_pinned_use(const void* memory, cudaStream_t stream);

void empty_pinned_cache();
// "pinned_allocated" and "pinned_reserved"; empty for another name.
std::optional<int64_t> pinned_statistic(const char* key);

// Functions of the table.
int allocate_pinned_cuda(const OpwHost* host, size_t bytes, void** memory);
void free_pinned_cuda(void* memory, size_t bytes);

}  // namespace opwright::cuda
