// The functions that loop formulas call: operations on numbers of the compute type and on truth
// values. Sums and products are rounded separately, as in the CPU's kernels; ints wrap. The names
// are those that formula_text.h writes.
#pragma once

#include "devices/cuda/kernels/number.h"

namespace opwright::cuda::formula {

template <class T>
struct UnsignedOf {
  using Type = uint64_t;
};
template <>
struct UnsignedOf<int32_t> {
  using Type = uint32_t;
};
template <class T>
using Unsigned = typename UnsignedOf<T>::Type;

#ifdef __CUDA_ARCH__
OPWRIGHT_ANYWHERE float add_rounded(float x, float y) { return __fadd_rn(x, y); }
OPWRIGHT_ANYWHERE double add_rounded(double x, double y) { return __dadd_rn(x, y); }
OPWRIGHT_ANYWHERE float multiply_rounded(float x, float y) { return __fmul_rn(x, y); }
OPWRIGHT_ANYWHERE double multiply_rounded(double x, double y) { return __dmul_rn(x, y); }
#else
template <class T>
OPWRIGHT_ANYWHERE T add_rounded(T x, T y) {
  return x + y;
}
template <class T>
OPWRIGHT_ANYWHERE T multiply_rounded(T x, T y) {
  return x * y;
}
#endif

// Small functions are inlined in every kernel, large ones compiled once: otherwise builds take
// minutes.
#define OPWRIGHT_FUNCTION(name, of_float, of_double)            \
  OPWRIGHT_ANYWHERE float name(float x) { return of_float(x); } \
  OPWRIGHT_ANYWHERE double name(double x) { return of_double(x); }
#define OPWRIGHT_FUNCTION_ONCE_OF_DOUBLE(name, of_float, of_double) \
  OPWRIGHT_ANYWHERE float name(float x) { return of_float(x); }     \
  OPWRIGHT_ANYWHERE_ONCE double name(double x) { return of_double(x); }
#define OPWRIGHT_FUNCTION_ONCE(name, of_float, of_double)            \
  OPWRIGHT_ANYWHERE_ONCE float name(float x) { return of_float(x); } \
  OPWRIGHT_ANYWHERE_ONCE double name(double x) { return of_double(x); }
OPWRIGHT_FUNCTION(magnitude, ::fabsf, ::fabs)
OPWRIGHT_FUNCTION(floor, ::floorf, ::floor)
OPWRIGHT_FUNCTION(ceil, ::ceilf, ::ceil)
OPWRIGHT_FUNCTION(trunc, ::truncf, ::trunc)
OPWRIGHT_FUNCTION(round, ::nearbyintf, ::nearbyint)
OPWRIGHT_FUNCTION(sqrt, ::sqrtf, ::sqrt)
OPWRIGHT_FUNCTION_ONCE_OF_DOUBLE(exp, ::expf, ::exp)
OPWRIGHT_FUNCTION_ONCE_OF_DOUBLE(exp2, ::exp2f, ::exp2)
OPWRIGHT_FUNCTION_ONCE_OF_DOUBLE(expm1, ::expm1f, ::expm1)
OPWRIGHT_FUNCTION_ONCE_OF_DOUBLE(log, ::logf, ::log)
OPWRIGHT_FUNCTION_ONCE_OF_DOUBLE(log2, ::log2f, ::log2)
OPWRIGHT_FUNCTION_ONCE_OF_DOUBLE(log10, ::log10f, ::log10)
OPWRIGHT_FUNCTION_ONCE_OF_DOUBLE(log1p, ::log1pf, ::log1p)
OPWRIGHT_FUNCTION_ONCE(sin, ::sinf, ::sin)
OPWRIGHT_FUNCTION_ONCE(cos, ::cosf, ::cos)
OPWRIGHT_FUNCTION_ONCE(tan, ::tanf, ::tan)
OPWRIGHT_FUNCTION_ONCE(asin, ::asinf, ::asin)
OPWRIGHT_FUNCTION_ONCE(acos, ::acosf, ::acos)
OPWRIGHT_FUNCTION_ONCE(atan, ::atanf, ::atan)
OPWRIGHT_FUNCTION_ONCE(sinh, ::sinhf, ::sinh)
OPWRIGHT_FUNCTION_ONCE(cosh, ::coshf, ::cosh)
OPWRIGHT_FUNCTION_ONCE_OF_DOUBLE(tanh, ::tanhf, ::tanh)
OPWRIGHT_FUNCTION_ONCE(asinh, ::asinhf, ::asinh)
OPWRIGHT_FUNCTION_ONCE(acosh, ::acoshf, ::acosh)
OPWRIGHT_FUNCTION_ONCE(atanh, ::atanhf, ::atanh)
OPWRIGHT_FUNCTION_ONCE_OF_DOUBLE(erf, ::erff, ::erf)
OPWRIGHT_FUNCTION_ONCE(erfc, ::erfcf, ::erfc)
OPWRIGHT_FUNCTION_ONCE(lgamma, ::lgammaf, ::lgamma)
#undef OPWRIGHT_FUNCTION
#undef OPWRIGHT_FUNCTION_ONCE_OF_DOUBLE
#undef OPWRIGHT_FUNCTION_ONCE
OPWRIGHT_ANYWHERE_ONCE float pow(float x, float y) { return ::powf(x, y); }
OPWRIGHT_ANYWHERE_ONCE double pow(double x, double y) { return ::pow(x, y); }
OPWRIGHT_ANYWHERE_ONCE float atan2(float x, float y) { return ::atan2f(x, y); }
OPWRIGHT_ANYWHERE_ONCE double atan2(double x, double y) { return ::atan2(x, y); }
OPWRIGHT_ANYWHERE float copysign(float x, float y) { return ::copysignf(x, y); }
OPWRIGHT_ANYWHERE double copysign(double x, double y) { return ::copysign(x, y); }
OPWRIGHT_ANYWHERE_ONCE float fmod_of_floats(float x, float y) { return ::fmodf(x, y); }
OPWRIGHT_ANYWHERE_ONCE double fmod_of_floats(double x, double y) { return ::fmod(x, y); }
OPWRIGHT_ANYWHERE float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
OPWRIGHT_ANYWHERE double fma(double x, double y, double z) { return ::fma(x, y, z); }

template <class T>
OPWRIGHT_ANYWHERE T add(T x, T y) {
  if constexpr (kIsFloating<T>)
    return add_rounded(x, y);
  else
    return static_cast<T>(static_cast<Unsigned<T>>(x) + static_cast<Unsigned<T>>(y));
}
template <class T>
OPWRIGHT_ANYWHERE T subtract(T x, T y) {
  if constexpr (kIsFloating<T>)
    return add_rounded(x, -y);
  else
    return static_cast<T>(static_cast<Unsigned<T>>(x) - static_cast<Unsigned<T>>(y));
}
template <class T>
OPWRIGHT_ANYWHERE T multiply(T x, T y) {
  if constexpr (kIsFloating<T>)
    return multiply_rounded(x, y);
  else
    return static_cast<T>(static_cast<Unsigned<T>>(x) * static_cast<Unsigned<T>>(y));
}
template <class T>
OPWRIGHT_ANYWHERE T negate(T x) {
  if constexpr (kIsFloating<T>)
    return -x;
  else
    return subtract(T(0), x);
}

// Ints: towards zero. A zero divisor gives 0, since a device cannot throw; the smallest int over -1
// is itself.
template <class T>
OPWRIGHT_ANYWHERE T divide_trunc(T x, T y) {
  if constexpr (kIsFloating<T>) {
    return trunc(x / y);
  } else {
    if (y == T(0)) return T(0);
    if (y == static_cast<T>(-1) && static_cast<T>(-1) < T(0)) return negate(x);
    return static_cast<T>(x / y);
  }
}
template <class T>
OPWRIGHT_ANYWHERE T fmod(T x, T y) {
  if constexpr (kIsFloating<T>) {
    return fmod_of_floats(x, y);
  } else {
    if (y == T(0) || (y == static_cast<T>(-1) && static_cast<T>(-1) < T(0))) return T(0);
    return static_cast<T>(x % y);
  }
}
// Whether a remainder must be adjusted to have the sign of the divisor.
template <class T>
OPWRIGHT_ANYWHERE bool is_moved(T rest, T y) {
  return rest != T(0) && (y < T(0)) != (rest < T(0));
}
template <class T>
OPWRIGHT_ANYWHERE T remainder(T x, T y) {
  const T rest = formula::fmod(x, y);
  return is_moved(rest, y) ? add(rest, y) : rest;
}
// Python's division: the floor of the exact quotient, with the sign of a zero.
template <class T>
OPWRIGHT_ANYWHERE T divide_floor(T x, T y) {
  const T rest = formula::fmod(x, y);
  if constexpr (kIsFloating<T>) {
    const T plain = x / y;
    if (y == T(0)) return plain;
    const T near = (x - rest) / y;
    const T quotient = is_moved(rest, y) ? near - T(1) : near;
    if (quotient == T(0)) return copysign(T(0), plain);
    const T below = floor(quotient);
    return quotient - below > T(0.5) ? below + T(1) : below;
  } else {
    const T quotient = divide_trunc(x, y);
    return is_moved(rest, y) ? subtract(quotient, T(1)) : quotient;
  }
}

template <class T>
OPWRIGHT_ANYWHERE T divide(T x, T y) {
  if constexpr (kIsFloating<T>)
    return x / y;
  else
    return divide_trunc(x, y);
}

// NaN wins.
template <class T>
OPWRIGHT_ANYWHERE T maximum(T x, T y) {
  const T larger = x > y ? x : y;
  return x == x ? larger : x;
}
template <class T>
OPWRIGHT_ANYWHERE T minimum(T x, T y) {
  const T smaller = x < y ? x : y;
  return x == x ? smaller : x;
}
template <class T>
OPWRIGHT_ANYWHERE T absolute(T x) {
  if constexpr (kIsFloating<T>)
    return magnitude(x);
  else
    return x < T(0) ? negate(x) : x;
}

template <class T>
OPWRIGHT_ANYWHERE bool isnan(T x) {
  return x != x;
}

template <class T>
OPWRIGHT_ANYWHERE T rsqrt(T x) {
  return T(1) / sqrt(x);
}
template <class T>
OPWRIGHT_ANYWHERE T sigmoid(T x) {
  return T(1) / (T(1) + exp(-x));
}

// Shifts by a negative number or by all bits or more: nothing is left, or the sign.
template <class T>
OPWRIGHT_ANYWHERE T shift_left(T x, T y) {
  if (y < T(0) || y >= T(8 * sizeof(T))) return T(0);
  return static_cast<T>(static_cast<Unsigned<T>>(x) << y);
}
template <class T>
OPWRIGHT_ANYWHERE T shift_right(T x, T y) {
  if (y < T(0) || y >= T(8 * sizeof(T))) return x < T(0) ? static_cast<T>(-1) : T(0);
  return static_cast<T>(x >> y);
}

}  // namespace opwright::cuda::formula
