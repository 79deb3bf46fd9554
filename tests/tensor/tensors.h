// Small tensors with known values, for tests.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"

namespace opwright::testing {

inline std::span<const int64_t> list(const std::vector<int64_t>& values) { return values; }

// A contiguous cpu tensor of T.
template <class T>
Tensor tensor_of(const std::vector<int64_t>& sizes, const std::vector<T>& values) {
  Tensor tensor = make_empty(sizes, dtype_of<T>());
  for (size_t i = 0; i < values.size(); ++i) tensor.mutable_data<T>()[i] = values[i];
  return tensor;
}
// 0, 1, 2, ... as float32.
inline Tensor range(const std::vector<int64_t>& sizes) {
  Tensor tensor = make_empty(sizes, DType::Float32);
  for (int64_t i = 0; i < tensor.numel(); ++i)
    tensor.mutable_data<float>()[i] = static_cast<float>(i);
  return tensor;
}

inline std::vector<int64_t> values_of(std::span<const int64_t> values) {
  return {values.begin(), values.end()};
}

}  // namespace opwright::testing
