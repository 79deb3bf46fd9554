// Numbers as kernels compute with them: halves as float, ints that wrap around, conversions that
// are defined for every value.
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

// The type of values in between.
template <class T>
using ComputeType = std::conditional_t<kIsHalf<T>, float, T>;

// The unsigned type in which a product of two T cannot overflow undefinedly.
template <class T>
using WrapType = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

// Sums and products: of ints modulo 2^bits, of bools `or` and `and`.
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

// A complex number over zero is infinite, as PyTorch has it; Complex's own quotient is not a
// number.
template <class C>
constexpr C divide(C a, C b) {
  if constexpr (kIsComplex<C>) {
    if (b == C{}) return {a.real / decltype(a.real){}, a.imag / decltype(a.imag){}};
  }
  return a / b;
}

// A float as an int: towards zero; what does not fit in 64 bits, and not-a-number, gives the
// smallest int64, as x86 has it, of which narrower types keep the low bits.
template <class To, class From>
constexpr To float_to_int(From value) {
  constexpr From kLimit = static_cast<From>(9223372036854775808.0);
  if constexpr (std::is_same_v<To, uint64_t>) {
    if (value >= kLimit && value < 2 * kLimit) return static_cast<uint64_t>(value);
  }
  const bool fits = value >= -kLimit && value < kLimit;
  return static_cast<To>(fits ? static_cast<int64_t>(value) : INT64_MIN);
}

// Any number as any other: an imaginary part is dropped, a bool is "not zero".
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

// A number argument as T.
template <class T>
T number_as(const Scalar& number) {
  if (number.is_complex()) return convert_number<T>(number.complex_value());
  if (number.is_floating()) return convert_number<T>(number.to<double>());
  return convert_number<T>(number.to<int64_t>());
}

}  // namespace opwright
