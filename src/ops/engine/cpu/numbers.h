// Number arithmetic for kernels: halves as float, ints that wrap around, conversions defined for
// every value.
#pragma once

#include <cstdint>
#include <type_traits>

#include "opwright/dtype.h"
#include "opwright/scalar.h"

namespace opwright {

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, Complex<float>> || std::is_same_v<T, Complex<double>>;
template <class T>
inline constexpr bool kIsBool = std::is_same_v<T, bool>;
template <class T>
inline constexpr bool kIsInt = std::is_integral_v<T> && !kIsBool<T>;

// The type of intermediate values.
template <class T>
using ComputeType = std::conditional_t<kIsHalf<T>, float, T>;

// An unsigned type in which the product of two T has no undefined overflow.
template <class T>
using WrapType = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

// Sums and products: ints modulo 2^bits, bools with `or` and `and`.
template <class C>
constexpr C wrap_add(C a, C b) {
  if constexpr (kIsBool<C>)
    return a || b;
  else if constexpr (kIsInt<C>)
    return static_cast<C>(static_cast<WrapType<C>>(a) + static_cast<WrapType<C>>(b));
  else
    return a + b;
}
template <class C>
constexpr C wrap_sub(C a, C b) {
  if constexpr (kIsBool<C>)
    return a != b;
  else if constexpr (kIsInt<C>)
    return static_cast<C>(static_cast<WrapType<C>>(a) - static_cast<WrapType<C>>(b));
  else
    return a - b;
}
template <class C>
constexpr C wrap_mul(C a, C b) {
  if constexpr (kIsBool<C>)
    return a && b;
  else if constexpr (kIsInt<C>)
    return static_cast<C>(static_cast<WrapType<C>>(a) * static_cast<WrapType<C>>(b));
  else
    return a * b;
}

// A complex number divided by zero is infinite, as in PyTorch; Complex's own quotient is NaN.
template <class C>
constexpr C divide(C a, C b) {
  if constexpr (kIsComplex<C>) {
    if (b == C{}) return {a.real / decltype(a.real){}, a.imag / decltype(a.imag){}};
  }
  return a / b;
}

// Converts between any two numbers: imaginary parts are dropped, a bool is "not zero".
template <class To, class From>
constexpr To convert_number(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsHalf<From>) {
    return convert_number<To>(static_cast<float>(value));
  } else if constexpr (kIsComplex<From> && kIsComplex<To>) {
    return To(value);
  } else if constexpr (kIsComplex<From> && kIsBool<To>) {
    return value != From{};
  } else if constexpr (kIsComplex<From>) {
    return convert_number<To>(value.real);
  } else if constexpr (kIsComplex<To>) {
    return To(convert_number<decltype(To{}.real)>(value));
  } else if constexpr (kIsBool<To>) {
    return value != 0;
  } else if constexpr (kIsHalf<To>) {
    return To(static_cast<float>(value));
  } else if constexpr (kIsInt<To> && std::is_floating_point_v<From>) {
    return float_to_int<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// A number argument converted to T.
template <class T>
T number_as(const Scalar& number) {
  if (number.is_complex()) return convert_number<T>(number.complex_value());
  if (number.is_floating()) return convert_number<T>(number.to<double>());
  return convert_number<T>(number.to<int64_t>());
}

}  // namespace opwright
