// Helpers to create tensors and read values in operator tests.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/functions.h"
#include "tensor/tensors.h"

namespace opwright::testing {

// The elements in logical order.
template <class T>
std::vector<T> elements(const Tensor& tensor) {
  const Tensor dense = tensor.contiguous();
  return std::vector<T>(dense.data<T>(), dense.data<T>() + dense.numel());
}
inline std::vector<float> floats(const Tensor& tensor) { return elements<float>(tensor); }

inline std::vector<int64_t> sizes(const Tensor& tensor) { return values_of(tensor.sizes()); }
inline std::vector<int64_t> strides(const Tensor& tensor) { return values_of(tensor.strides()); }

// Small numbers of both signs.
inline Tensor numbers(const std::vector<int64_t>& sizes, DType dtype = DType::Float32) {
  return range(sizes).mul(0.37).sin().mul(4).to(dtype);
}

// Every dtype with arithmetic.
inline constexpr DType kNumberDTypes[] = {
    DType::UInt8,   DType::UInt16,  DType::UInt32,    DType::UInt64,     DType::Int8,
    DType::Int16,   DType::Int32,   DType::Int64,     DType::Float16,    DType::BFloat16,
    DType::Float32, DType::Float64, DType::Complex64, DType::Complex128,
};

}  // namespace opwright::testing
