// Where the block cache gets its blocks: slabs of equal blocks without a header each.
//
// A slab is 64 KiB of address space at a multiple of 64 KiB, so that a block finds its slab. Most
// of those that are empty again give their memory back to the system.
#pragma once

#include <cstddef>
#include <span>

namespace opwright {

// Fills in up to `most` blocks of the class and tells how many; none: no memory. Any thread.
[[nodiscard]] size_t allocate_from_slab(size_t size_class, void** blocks, size_t most) noexcept;
void free_to_slab(std::span<void* const> blocks) noexcept;
// Of a block of a slab.
[[nodiscard]] size_t slab_class(const void* block) noexcept;

}  // namespace opwright
