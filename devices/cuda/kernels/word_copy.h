// Copies of elements as words of 1, 2, 4, 8 or 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cuda/kernels/joined_space.h"
#include "opwright/c_api.h"

namespace opwright::cuda {

// Memory 0 of the space is written, memory 1 is read. Words that lie together are copied as wider
// ones.
void copy_words(const JoinedSpace& space, size_t word_bytes, void* to, const void* from,
                int32_t index, OpwStream* stream);

}  // namespace opwright::cuda
