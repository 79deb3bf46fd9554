// c10::Half, c10::BFloat16: storage types that compute as float, with the assignments that kernels
// write.
#pragma once

#include <concepts>
#include <limits>

#include "opwright/dtype.h"

namespace opwright OPWRIGHT_VISIBILITY {
template <class T>
concept ReducedFloat = std::same_as<T, Half> || std::same_as<T, BFloat16>;

template <ReducedFloat T>
constexpr T& operator+=(T& a, float b) {
  return a = T(static_cast<float>(a) + b);
}
template <ReducedFloat T>
constexpr T& operator-=(T& a, float b) {
  return a = T(static_cast<float>(a) - b);
}
template <ReducedFloat T>
constexpr T& operator*=(T& a, float b) {
  return a = T(static_cast<float>(a) * b);
}
template <ReducedFloat T>
constexpr T& operator/=(T& a, float b) {
  return a = T(static_cast<float>(a) / b);
}
}  // namespace opwright

namespace c10 OPWRIGHT_VISIBILITY {
using opwright::BFloat16;
using opwright::Half;

// The common part of numeric_limits of the two; the numbers are exact.
template <class T, int kDigits, int kMinExponent, int kMaxExponent>
struct ReducedFloatLimits {
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false,
                        is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;
  static constexpr bool is_iec559 = true, is_bounded = true, is_modulo = false;
  static constexpr int radix = 2, digits = kDigits;
  static constexpr int min_exponent = kMinExponent, max_exponent = kMaxExponent;

  static constexpr T min() { return power_of_two(kMinExponent - 1); }
  static constexpr T max() {
    return (2.0F - power_of_two(1 - kDigits)) * power_of_two(kMaxExponent - 1);
  }
  static constexpr T lowest() { return -static_cast<float>(max()); }
  static constexpr T epsilon() { return power_of_two(1 - kDigits); }
  static constexpr T infinity() { return std::numeric_limits<float>::infinity(); }
  static constexpr T quiet_NaN() { return std::numeric_limits<float>::quiet_NaN(); }

 private:
  static constexpr float power_of_two(int exponent) {
    float power = 1;
    for (int i = 0; i < exponent; ++i) power *= 2;
    for (int i = 0; i > exponent; --i) power /= 2;
    return power;
  }
};
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at

template <>
class std::numeric_limits<opwright::Half>
    : public c10::ReducedFloatLimits<opwright::Half, 11, -13, 16> {};
template <>
class std::numeric_limits<opwright::BFloat16>
    : public c10::ReducedFloatLimits<opwright::BFloat16, 8, -125, 128> {};
