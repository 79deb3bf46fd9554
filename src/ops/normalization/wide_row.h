// Converts rows of halves to rows of floats and back; other dtypes are used directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "opwright/ops/engine/cpu/conversion.h"
#include "opwright/ops/engine/cpu/numbers.h"

namespace opwright {

// One per thread.
template <class T>
class WideRow {
 public:
  using C = ComputeType<T>;

  explicit WideRow(int64_t count) : count_(count) {
    if constexpr (kIsHalf<T>) memory_.resize(static_cast<size_t>(2 * count));
  }

  // The elements of a dense row.
  const C* read(const T* row) {
    if constexpr (kIsHalf<T>) {
      find_conversion(DType::Float32, dtype_of<T>())(
          reinterpret_cast<std::byte*>(memory_.data()), sizeof(float),
          reinterpret_cast<const std::byte*>(row), sizeof(T), count_);
      return memory_.data();
    } else {
      return row;
    }
  }
  // Where to compute the result of a row, and the function that stores it.
  C* result(T* row) {
    if constexpr (kIsHalf<T>)
      return memory_.data() + count_;
    else
      return row;
  }
  void write(T* row) {
    if constexpr (kIsHalf<T>) {
      find_conversion(dtype_of<T>(), DType::Float32)(
          reinterpret_cast<std::byte*>(row), sizeof(T),
          reinterpret_cast<const std::byte*>(memory_.data() + count_), sizeof(float), count_);
    }
  }

 private:
  int64_t count_;
  std::vector<float> memory_;  // for halves: elements, then results
};

}  // namespace opwright
