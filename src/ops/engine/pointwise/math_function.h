// Mathematical functions as functors: float32 from vector_math.h, other types from the standard
// library.
#pragma once

#include <complex>
#include <type_traits>

#include "opwright/ops/engine/pointwise/kernel.h"

namespace opwright {

template <class R>
OPWRIGHT_INLINE R to_standard(R value) {
  return value;
}
template <class R>
OPWRIGHT_INLINE std::complex<R> to_standard(Complex<R> value) {
  return {value.real, value.imag};
}
template <class R>
OPWRIGHT_INLINE R from_standard(R value) {
  return value;
}
template <class R>
OPWRIGHT_INLINE Complex<R> from_standard(std::complex<R> value) {
  return {value.real(), value.imag()};
}

// F has `float vector(float...)` and a template `exact` for floating-point or std::complex numbers;
// `bool is_special(float...)` if `vector` does not cover all floats; and kHasDouble if there is
// also a `double vector(double...)`.
template <class T, class F>
struct MathFunction {
  static constexpr bool kHasDouble = requires { requires F::kHasDouble; };
  static constexpr bool kIsScalar =
      !(std::is_same_v<T, float> || (std::is_same_v<T, double> && kHasDouble));

  template <class... In>
  OPWRIGHT_INLINE T operator()(T first, In... rest) const {
    if constexpr (kIsScalar)
      return special(first, rest...);
    else
      return F::vector(first, rest...);
  }
  template <class... In>
  OPWRIGHT_INLINE bool is_special(T first, In... rest) const
    requires(!kIsScalar && requires { F::is_special(first, rest...); })
  {
    return F::is_special(first, rest...);
  }
  template <class... In>
  OPWRIGHT_INLINE T special(T first, In... rest) const {
    return from_standard(F::exact(to_standard(first), to_standard(rest)...));
  }
};

}  // namespace opwright
