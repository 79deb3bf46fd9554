// Memory of tensors that are too large for a block.
//
// What is freed is kept, up to a bound, for the next tensor of about its size: the kernel would
// take its pages back and clear new ones, which costs more than most operators do with them.
#pragma once

#include <cstddef>

namespace opwright {

inline constexpr size_t kLeastLargeMemory = size_t{64} << 10;  // less goes to malloc alone
inline constexpr size_t kMostLargeMemoryKept = size_t{128} << 20;

// Aligned to 64. Null when there is none, even after what is kept was given back. Any thread.
[[nodiscard]] void* allocate_large_memory(size_t bytes) noexcept;

// `bytes` is what was asked for. Any thread.
void free_large_memory(void* memory, size_t bytes) noexcept;

// Gives back all that is kept; returns how many bytes that was.
size_t release_large_memory() noexcept;

}  // namespace opwright
