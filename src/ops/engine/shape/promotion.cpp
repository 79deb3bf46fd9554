#include "opwright/ops/engine/shape/promotion.h"

#include <algorithm>
#include <optional>

#include "opwright/error.h"

namespace opwright {
namespace {

enum class Kind { Bool, Int, Float, Complex };

Kind kind_of(DType dtype) {
  if (dtype == DType::Bool) return Kind::Bool;
  if (is_complex(dtype)) return Kind::Complex;
  return is_floating(dtype) ? Kind::Float : Kind::Int;
}

bool is_unsigned(DType dtype) { return dtype_code(dtype) == kOpwDtypeUInt; }
bool is_wide_unsigned(DType dtype) { return is_unsigned(dtype) && dtype != DType::UInt8; }

[[noreturn]] void throw_no_common_dtype(DType a, DType b) {
  throw_error("TypeError", "no dtype holds both ", a, " and ", b, "; convert one of them first");
}

DType promote_ints(DType a, DType b) {
  if (is_wide_unsigned(a) || is_wide_unsigned(b)) throw_no_common_dtype(a, b);
  if (is_unsigned(a) == is_unsigned(b)) return dtype_bits(a) > dtype_bits(b) ? a : b;
  const DType with_sign = is_unsigned(a) ? b : a;  // the other is uint8
  return with_sign == DType::Int8 ? DType::Int16 : with_sign;
}

DType promote_floats(DType a, DType b) {
  if (dtype_bits(a) == dtype_bits(b)) return DType::Float32;  // float16 and bfloat16
  return dtype_bits(a) > dtype_bits(b) ? a : b;
}

DType complex_of(DType real) {
  return real == DType::Float64 || real == DType::Complex128 ? DType::Complex128 : DType::Complex64;
}

// A lower rank counts only by its kind.
std::optional<DType> combine(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher) return lower;
  if (!lower || kind_of(*higher) >= kind_of(*lower)) return higher;
  if (kind_of(*higher) == Kind::Float) return complex_of(*higher);
  return promote_dtypes(*higher, *lower);
}

void join_rank(std::optional<DType>& rank, DType dtype) {
  rank = rank ? promote_dtypes(*rank, dtype) : dtype;
}

}  // namespace

DType promote_dtypes(DType a, DType b) {
  if (a == b) return a;
  if (is_float8(a) || is_float8(b)) throw_no_common_dtype(a, b);
  if (kind_of(a) < kind_of(b)) std::swap(a, b);
  switch (kind_of(a)) {
    case Kind::Bool:
      return a;
    case Kind::Int:
      return kind_of(b) == Kind::Bool ? a : promote_ints(a, b);
    case Kind::Float:
      return kind_of(b) == Kind::Float ? promote_floats(a, b) : a;
    case Kind::Complex:
      return complex_of(b) == DType::Complex128 ? DType::Complex128 : a;
  }
  return a;
}

DType dtype_of_number(const Scalar& number) {
  if (number.is_bool()) return DType::Bool;
  if (number.is_complex()) return kDefaultComplex;
  return number.is_floating() ? kDefaultFloat : DType::Int64;
}

void Promotion::add(const Tensor& tensor) {
  join_rank(tensor.dim() > 0 ? of_tensors_ : of_zero_dim_, tensor.dtype());
}
void Promotion::add(const Scalar& number) { join_rank(of_numbers_, dtype_of_number(number)); }
DType Promotion::result() const {
  return *combine(of_tensors_, combine(of_zero_dim_, of_numbers_));
}

DType result_dtype(const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype()) return a.dtype();
  Promotion promotion;
  promotion.add(a);
  promotion.add(b);
  return promotion.result();
}

DType result_dtype(const Tensor& a, const Scalar& b) {
  Promotion promotion;
  promotion.add(a);
  promotion.add(b);
  return promotion.result();
}

DType inexact_dtype(DType dtype) { return kind_of(dtype) >= Kind::Float ? dtype : kDefaultFloat; }

DType real_dtype(DType dtype) {
  if (dtype == DType::Complex64) return DType::Float32;
  return dtype == DType::Complex128 ? DType::Float64 : dtype;
}

bool can_store(DType from, DType to) { return kind_of(from) <= kind_of(to); }

}  // namespace opwright
