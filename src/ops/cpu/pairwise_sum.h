// Sums whose rounding error grows with the logarithm of the length: blocks of a fixed number of
// terms, whose sums are added in pairs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "opwright/base/small_vector.h"
#include "opwright/ops/cpu/numbers.h"

namespace opwright {

// Halves are summed as float; ints modulo 2^64.
template <class T>
using SumType = std::conditional_t<std::is_integral_v<T>, uint64_t, ComputeType<T>>;

template <class T>
constexpr SumType<T> as_term(T value) {
  return static_cast<SumType<T>>(value);
}

// Adds values in pairs, as a tree over the order in which they came.
template <class S>
class PairwiseSum {
 public:
  void add(S value) {
    size_t level = 0;
    for (uint64_t carry = count_; carry & 1; carry >>= 1) value = levels_[level++] + value;
    if (level == levels_.size()) {
      levels_.push_back(value);
    } else {
      levels_[level] = value;
    }
    ++count_;
  }
  [[nodiscard]] S total() const {
    S sum{};
    for (uint64_t left = count_; left != 0; left &= left - 1) {
      sum = levels_[static_cast<size_t>(std::countr_zero(left))] + sum;
    }
    return sum;
  }

 private:
  uint64_t count_ = 0;
  SmallVector<S, 4> levels_;  // level i: the sum of 2^i values, where count_ has bit i
};

// A few sums side by side, for vector code.
template <class S, size_t N>
struct Lanes {
  std::array<S, N> values;

  friend Lanes operator+(const Lanes& a, const Lanes& b) {
    Lanes sum;
    for (size_t i = 0; i < N; ++i) sum.values[i] = a.values[i] + b.values[i];
    return sum;
  }
};

inline constexpr int64_t kSumBlock = 512;  // terms

// The sum of at most kSumBlock terms that are `stride` elements apart.
template <class T>
SumType<T> sum_block(const T* terms, int64_t count, int64_t stride) {
  constexpr int64_t kLanes = 16;
  Lanes<SumType<T>, kLanes> lanes{};
  int64_t i = 0;
  if (stride == 1) {
    for (; i + kLanes <= count; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        lanes.values[static_cast<size_t>(lane)] =
            lanes.values[static_cast<size_t>(lane)] + as_term(terms[i + lane]);
      }
    }
  }
  for (; i < count; ++i) {
    auto& lane = lanes.values[static_cast<size_t>(i % kLanes)];
    lane = lane + as_term(terms[i * stride]);
  }
  for (size_t width = kLanes / 2; width > 0; width /= 2) {
    for (size_t lane = 0; lane < width; ++lane) {
      lanes.values[lane] = lanes.values[lane] + lanes.values[lane + width];
    }
  }
  return lanes.values[0];
}

}  // namespace opwright
