// The distribution of a tensor's values, and new values drawn from it.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/check/values/random_source.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright {

struct ValueProfile {
  DType dtype = DType::Float32;
  // Finite values of floats, and of both parts of complex numbers.
  double least = -1;
  double greatest = 1;
  // For ints.
  int64_t least_int = 0;
  int64_t greatest_int = 0;
  bool is_sorted = false;  // along the last dimension
};

// A tensor without elements or memory has the usual value range of its dtype.
[[nodiscard]] ValueProfile profile_of(const Tensor& tensor);
// The closest range that another dtype allows: signs stay, [0, 1] stays.
[[nodiscard]] ValueProfile with_dtype(ValueProfile profile, DType dtype);

// Contiguous on the CPU. Floats lie between the extremes of the range and keep their sign; ints are
// never outside it; sorted rows stay sorted and begin with the least.
[[nodiscard]] Tensor fresh_values(const ValueProfile& profile, std::span<const int64_t> sizes,
                                  RandomSource& rng);

// The elements of a tensor, in its own contiguous CPU memory.
[[nodiscard]] Tensor values_of(const Tensor& tensor);
// The first elements of each dimension; no size exceeds the tensor's.
[[nodiscard]] Tensor leading_values(const Tensor& tensor, std::span<const int64_t> sizes);
// Another dtype, converted by the core's rules.
[[nodiscard]] Tensor converted_values(const Tensor& values, DType dtype);
// A number as a zero-dimensional tensor of the dtype.
[[nodiscard]] Tensor number_tensor(int64_t number, DType dtype);
[[nodiscard]] Tensor number_tensor(double number, DType dtype);
// Writes a number of the same dtype to one element, or to all. The values are contiguous on the
// CPU.
void set_element(const Tensor& values, int64_t index, const Tensor& number);
void set_all(const Tensor& values, const Tensor& number);

}  // namespace opwright
