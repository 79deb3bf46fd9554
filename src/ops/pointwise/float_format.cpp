// nextafter and frexp: the neighbour of a float, and its mantissa and exponent.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>

#include "opwright/dtype.h"
#include "opwright/fake_tensor.h"
#include "opwright/ops/engine/pointwise/kernel.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/engine/pointwise/pointwise_apply.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/tensor.h"

namespace opwright {
namespace {

// The neighbour in the bits of a format: the magnitude grows with them.
template <class Bits>
OPWRIGHT_INLINE Bits neighbour_bits(Bits bits, bool is_zero, bool is_away, bool is_to_negative) {
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
  const auto smallest = static_cast<Bits>(is_to_negative ? kSign + 1 : 1);
  const auto moved = static_cast<Bits>(is_away ? bits + 1 : bits - 1);
  return is_zero ? smallest : moved;
}

template <class T>
struct NextAfter {
  OPWRIGHT_INLINE T operator()(T x, T y) const {
    const bool is_away = (x < y) == (x > T(0));
    const T moved = std::bit_cast<T>(
        neighbour_bits(std::bit_cast<UnsignedOf<sizeof(T)>>(x), x == T(0), is_away, y < T(0)));
    const T result = x == y ? y : moved;
    const T sum = x + y;  // NaN if one is, or for opposite infinities
    return ((x == x) & (y == y)) ? result : sum;
  }
};

// Of numbers that a half dtype holds, in its format.
template <class H>
struct NextHalfAfter {
  static constexpr bool kIsScalar = true;
  OPWRIGHT_INLINE float operator()(float x, float y) const {
    if (std::isnan(x) || std::isnan(y)) return x + y;
    if (x == y) return y;
    const auto bits = std::bit_cast<uint16_t>(H(x));
    const uint16_t moved = neighbour_bits(bits, x == 0, (x < y) == (x > 0), y < 0);
    return static_cast<float>(std::bit_cast<H>(moved));
  }
};
template <class T>
using NextFloat16 = NextHalfAfter<Half>;
template <class T>
using NextBFloat16 = NextHalfAfter<BFloat16>;

void choose_format(PointwiseCall& call) {
  static constexpr PointwiseOp of_float16{
      .arity = 2, .kernels = &kKernels<NextFloat16, TypeList<float>>, .takes = "floating dtypes"};
  static constexpr PointwiseOp of_bfloat16{
      .arity = 2, .kernels = &kKernels<NextBFloat16, TypeList<float>>, .takes = "floating dtypes"};
  const DType common = result_dtype(*call.operands[0].tensor, *call.operands[1].tensor);
  if (common == DType::Float16) call.op = &of_float16;
  if (common == DType::BFloat16) call.op = &of_bfloat16;
}

// Zeros, infinities and NaN are their own mantissa, with the exponent 0. Subnormal numbers are
// scaled first.
template <class T>
struct FloatParts {
  using Bits = UnsignedOf<sizeof(T)>;
  static constexpr int kMantissaBits = std::numeric_limits<T>::digits - 1;
  static constexpr Bits kExponentMask = (Bits{1} << (sizeof(T) * 8 - 1 - kMantissaBits)) - 1;
  static constexpr Bits kBias = kExponentMask / 2;

  OPWRIGHT_INLINE explicit FloatParts(T x) : number(x) {
    const auto given = std::bit_cast<Bits>(x);
    const Bits given_exponent = (given >> kMantissaBits) & kExponentMask;
    const bool is_small = given_exponent == 0;
    const T raised = x * T(Bits{1} << (kMantissaBits + 1));
    bits = is_small ? std::bit_cast<Bits>(raised) : given;
    lowered = is_small ? Bits{kMantissaBits + 1} : Bits{0};
    is_own_mantissa = (x == T(0)) | (given_exponent == kExponentMask);
  }
  [[nodiscard]] OPWRIGHT_INLINE T mantissa() const {
    const T half = std::bit_cast<T>((bits & ~(kExponentMask << kMantissaBits)) |
                                    ((kBias - 1) << kMantissaBits));
    return is_own_mantissa ? number : half;
  }
  [[nodiscard]] OPWRIGHT_INLINE int32_t exponent() const {
    const Bits value = ((bits >> kMantissaBits) & kExponentMask) - (kBias - 1) - lowered;
    return is_own_mantissa ? 0 : static_cast<int32_t>(value);
  }

  T number;
  Bits bits, lowered;
  bool is_own_mantissa;
};

template <class T>
struct Mantissa {
  OPWRIGHT_INLINE T operator()(T x) const { return FloatParts<T>(x).mantissa(); }
};
template <class T>
struct Exponent {
  OPWRIGHT_INLINE int32_t operator()(T x) const { return FloatParts<T>(x).exponent(); }
};

template <class AnyTensor>
std::tuple<AnyTensor, AnyTensor> parts_of(const AnyTensor& self) {
  static constexpr PointwiseOp mantissa = floating_op<Mantissa>(1);
  static constexpr PointwiseOp exponent{.arity = 1,
                                        .kernels = &kKernels<Exponent, FloatTypes>,
                                        .rule = ResultRule::Int32,
                                        .takes = "floating dtypes"};
  return {apply_pointwise("frexp", mantissa, {&self}), apply_pointwise("frexp", exponent, {&self})};
}

}  // namespace

const PointwiseOp& nextafter_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<NextAfter, FloatTypes>,
                                  .takes = "floating dtypes",
                                  .prepare = &choose_format};
  return op;
}

std::tuple<Tensor, Tensor> frexp_cpu(const Tensor& self) { return parts_of(self); }
std::tuple<FakeTensor, FakeTensor> frexp_fake(const FakeTensor& self) { return parts_of(self); }

}  // namespace opwright
