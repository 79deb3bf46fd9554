// The memory offset of element i of a space of sizes and strides.
#pragma once

#include "devices/cuda/kernels/number.h"

namespace opwright::cuda {

inline constexpr int kMostDimensions = 12;

// Division of numbers below 2^31 by multiplication (Granlund and Montgomery, 1994).
struct Divider {
  uint32_t divisor;
  uint32_t magic;
  uint32_t shift;

  OPWRIGHT_ANYWHERE static Divider of(uint32_t divisor) {
    uint32_t shift = 0;
    while ((uint64_t{1} << shift) < divisor) ++shift;
    const uint64_t rest = (uint64_t{1} << shift) - divisor;
    const uint64_t magic = (rest << 32) / divisor + 1;
    return {divisor, static_cast<uint32_t>(magic), shift};
  }
  OPWRIGHT_ANYWHERE uint32_t quotient(uint32_t number) const {
#ifdef __CUDA_ARCH__
    return (__umulhi(number, magic) + number) >> shift;
#else
    return static_cast<uint32_t>(((uint64_t{number} * magic) >> 32) + number) >> shift;
#endif
  }
};

// Sizes, outermost first.
struct IndexSpace {
  int rank;
  bool is_small;  // fewer than 2^31 elements, as dividers require
  int64_t count;
  int64_t sizes[kMostDimensions];
  Divider dividers[kMostDimensions];

  // Calls take(dimension, coordinate) for every dimension of a small space, innermost first.
  template <class Take>
  OPWRIGHT_ANYWHERE void split(uint32_t index, const Take& take) const {
    for (int d = rank - 1; d > 0; --d) {
      const uint32_t quotient = dividers[d].quotient(index);
      take(d, static_cast<int64_t>(index - quotient * dividers[d].divisor));
      index = quotient;
    }
    if (rank > 0) take(0, static_cast<int64_t>(index));
  }
  // The offset of element `index` in memory with these strides.
  OPWRIGHT_ANYWHERE int64_t place(int64_t index, const int64_t* strides) const {
    if (!is_small) return large_place(index, strides);
    int64_t place = 0;
    split(static_cast<uint32_t>(index),
          [&](int d, int64_t coordinate) { place += coordinate * strides[d]; });
    return place;
  }
  OPWRIGHT_ANYWHERE_ONCE int64_t large_place(int64_t index, const int64_t* strides) const {
    int64_t place = 0;
    for (int d = rank - 1; d > 0; --d) {
      const int64_t quotient = index / sizes[d];
      place += (index - quotient * sizes[d]) * strides[d];
      index = quotient;
    }
    return rank > 0 ? place + index * strides[0] : 0;
  }
};

}  // namespace opwright::cuda
