// Memory for tensors that are too large for a block.
//
// Freed memory is cached, up to a bound, for the next tensor of about its size: otherwise the
// kernel would unmap its pages and clear new ones, which costs more than most operators.
#pragma once

#include <cstddef>

namespace opwright {

inline constexpr size_t kLeastLargeMemory = size_t{64} << 10;  // smaller sizes use malloc
inline constexpr size_t kMostLargeMemoryKept = size_t{128} << 20;

// Aligned to 64. Null if there is no memory, even after the cache was released. Any thread.
[[nodiscard]] void* allocate_large_memory(size_t bytes) noexcept;

// `bytes` is the size that was requested. Any thread.
void free_large_memory(void* memory, size_t bytes) noexcept;

// Releases cached memory; returns the number of bytes released.
size_t release_large_memory() noexcept;

}  // namespace opwright
