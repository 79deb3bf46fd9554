// Type promotion: the common dtype of operands, by PyTorch's rules.
//
// Operands have three ranks: tensors with dimensions, zero-dim tensors, numbers. An operand of a
// lower rank changes the result only if its kind (bool < int < float < complex) is above that of
// the higher ranks.
#pragma once

#include <optional>

#include "opwright/dtype.h"
#include "opwright/scalar.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// The dtype of float numbers and of quotients of ints.
inline constexpr DType kDefaultFloat = DType::Float32;
inline constexpr DType kDefaultComplex = DType::Complex64;

[[nodiscard]] constexpr bool is_float8(DType dtype) {
  return is_floating(dtype) && dtype_bits(dtype) == 8;
}

// The smallest dtype that holds both. TypeError if there is none: float8 with anything else, and
// uint16, uint32 and uint64 with another integer.
[[nodiscard]] OPWRIGHT_EXPORT DType promote_dtypes(DType a, DType b);

// bool, int64, kDefaultFloat or kDefaultComplex.
[[nodiscard]] DType dtype_of_number(const Scalar& number);

// The promoted dtype of the operands added so far, at least one.
class Promotion {
 public:
  void add(const Tensor& tensor);
  void add(const Scalar& number);
  [[nodiscard]] DType result() const;

 private:
  std::optional<DType> of_tensors_, of_zero_dim_, of_numbers_;
};

[[nodiscard]] DType result_dtype(const Tensor& a, const Tensor& b);
[[nodiscard]] DType result_dtype(const Tensor& a, const Scalar& b);

// Ints and bool become kDefaultFloat; floating and complex dtypes are unchanged.
[[nodiscard]] DType inexact_dtype(DType dtype);
// float32 for complex64, float64 for complex128; others are unchanged.
[[nodiscard]] DType real_dtype(DType dtype);

// Whether an in-place operator may store a result of `from` in `to`: not in a lower kind.
[[nodiscard]] bool can_store(DType from, DType to);

}  // namespace opwright
