// Source of the block cache's blocks: slabs of equal blocks without headers.
//
// A slab is 64 KiB of address space at a multiple of 64 KiB, so that a block finds its slab. Most
// slabs that become empty return their memory to the system.
#pragma once

#include <cstddef>
#include <span>

namespace opwright {

// Writes up to `most` blocks of the class and returns how many; 0: out of memory. Any thread.
[[nodiscard]] size_t allocate_from_slab(size_t size_class, void** blocks, size_t most) noexcept;
void free_to_slab(std::span<void* const> blocks) noexcept;
// The size class of a block from a slab.
[[nodiscard]] size_t slab_class(const void* block) noexcept;

}  // namespace opwright
