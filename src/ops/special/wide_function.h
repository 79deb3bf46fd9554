// Functions that are computed in double for float32 and float64, as functors.
//
// F has `static double of(double...)`. Its loops are vectorized, unless F::kIsScalar; then `of` may
// branch and call functions. With F::kHasExact, float64 is computed by `exact(double)`, a scalar
// function, because `of` has only the digits that float32 needs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "opwright/ops/engine/pointwise/kernel.h"

namespace opwright {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

template <class T, class F>
inline constexpr bool kIsScalarFunction = requires {
  requires F::kIsScalar;
} || (std::is_same_v<T, double> && requires { requires F::kHasExact; });

template <class T, class F>
struct WideFunction {
  static constexpr bool kIsScalar = kIsScalarFunction<T, F>;
  OPWRIGHT_INLINE T operator()(T x) const {
    if constexpr (std::is_same_v<T, double> && requires { requires F::kHasExact; })
      return F::exact(x);
    else
      return static_cast<T>(F::of(static_cast<double>(x)));
  }
};

// Of two numbers.
template <class T, class F>
struct WidePairFunction {
  static constexpr bool kIsScalar = kIsScalarFunction<T, F>;
  OPWRIGHT_INLINE T operator()(T x, T y) const {
    return static_cast<T>(F::of(static_cast<double>(x), static_cast<double>(y)));
  }
};

// The operation of a functor over floats, with ints and bools as the default float.
template <template <class> class F>
constexpr PointwiseOp inexact_float_op(uint8_t arity, const char* formula = nullptr) {
  return {.arity = arity,
          .kernels = &kKernels<F, FloatTypes>,
          .rule = ResultRule::Inexact,
          .takes = "real dtypes",
          .formula = formula};
}

// The polynomial with these coefficients, the highest power last. Unrolled, so that loops over it
// vectorize.
template <const auto& kCoefficients, size_t kFirst = 0>
OPWRIGHT_INLINE double polynomial(double x) {
  if constexpr (kFirst + 1 == kCoefficients.size())
    return kCoefficients[kFirst];
  else
    return kCoefficients[kFirst] + x * polynomial<kCoefficients, kFirst + 1>(x);
}

OPWRIGHT_INLINE double magnitude_of(double x) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & ~(uint64_t{1} << 63));
}

}  // namespace opwright
