// What kind of numbers a tensor holds, and other numbers of that kind.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/check/values/random_source.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright {

struct ValueHabit {
  DType dtype = DType::Float32;
  // Of floats, and of both parts of complex numbers: the finite ones.
  double least = -1;
  double greatest = 1;
  // Of ints.
  int64_t least_int = 0;
  int64_t greatest_int = 0;
  bool is_sorted = false;  // along the last dimension
};

// A tensor without elements or without memory has the usual habit of its dtype.
[[nodiscard]] ValueHabit habit_of(const Tensor& tensor);
// As near to it as another dtype allows: signs stay, [0, 1] stays.
[[nodiscard]] ValueHabit with_dtype(ValueHabit habit, DType dtype);

// Contiguous on the cpu. Floats lie between the extremes of the habit, which keeps their sign; ints
// are never beyond them; rows that are sorted stay sorted and begin with the least.
[[nodiscard]] Tensor fresh_values(const ValueHabit& habit, std::span<const int64_t> sizes,
                                  Dice& dice);

// The elements of a tensor, contiguous on the cpu and nobody else's.
[[nodiscard]] Tensor values_of(const Tensor& tensor);
// The first ones of each dimension; no size is larger than the tensor's.
[[nodiscard]] Tensor leading_values(const Tensor& tensor, std::span<const int64_t> sizes);
// Another dtype, as the core converts.
[[nodiscard]] Tensor converted_values(const Tensor& values, DType dtype);
// A number in a tensor without dimensions, converted to the dtype.
[[nodiscard]] Tensor number_tensor(int64_t number, DType dtype);
[[nodiscard]] Tensor number_tensor(double number, DType dtype);
// Writes a number of their dtype over an element, or over all, of values that are contiguous on the
// cpu.
void set_element(const Tensor& values, int64_t index, const Tensor& number);
void set_all(const Tensor& values, const Tensor& number);

}  // namespace opwright
