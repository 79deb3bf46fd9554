// Copies elements as words of 1, 2, 4, 8 or 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "devices/cuda/kernels/joined_space.h"
#include "opwright/c_api.h"

namespace opwright::cuda {

// Writes memory 0 of the space, reads memory 1. Contiguous words are copied as wider ones.
void copy_words(const JoinedSpace& space, size_t word_bytes, void* to, const void* from,
                int32_t index, OpwStream* stream);

}  // namespace opwright::cuda
