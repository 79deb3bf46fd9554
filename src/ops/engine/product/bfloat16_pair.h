// Pairs of bfloat16, which AVX512_BF16 multiplies and adds to float32 in one instruction.
#pragma once

#include <cstdint>

#include "opwright/ops/engine/cpu/cpu_level.h"

// Compiles a function for the instruction. Compilers do not vectorize to it.
#define OPWRIGHT_AVX512_BF16 [[gnu::target(OPWRIGHT_AVX512_FEATURES ",avx512bf16")]]

namespace opwright {

// Two bfloat16 that follow each other along the depth of a product, the first in the low bits.
using BFloat16Pair = uint32_t;

// Whether this machine has the instruction and its level is Avx512. The instruction rounds each sum
// to float32 and takes subnormal numbers for zero.
[[nodiscard]] bool has_bfloat16_pairs();

}  // namespace opwright
