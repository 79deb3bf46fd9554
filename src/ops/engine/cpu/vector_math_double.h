// Mathematical functions for float64, like vector_math.h for float32: exp and log, with the
// polynomials of fdlibm but without its branches. The error is below 1.5 ulp.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "opwright/ops/engine/cpu/cpu_level.h"

namespace opwright::vector_math {

OPWRIGHT_INLINE double exp(double x) {
  constexpr double kRounding = 6755399441055744.0;  // 1.5 * 2^52
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  const double above = x < -746.0 ? -746.0 : x;
  const double bounded = above > 710.0 ? 710.0 : above;
  const double shifted = bounded * 1.44269504088896338700 + kRounding;
  const double n = shifted - kRounding;
  const double high = bounded - n * kLn2High;
  const double low = n * kLn2Low;
  const double r = high - low;
  const double t = r * r;
  double p = 4.13813679705723846039e-08;
  p = p * t - 1.65339022054652515390e-06;
  p = p * t + 6.61375632143793436117e-05;
  p = p * t - 2.77777777770155933842e-03;
  p = p * t + 1.66666666666666019037e-01;
  const double c = r - t * p;
  const double e = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
  // Both powers of two are normal, even if their product is not.
  const uint64_t exponent = std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(kRounding);
  const uint64_t half = (exponent + 4096) / 2 - 2048;
  const double power = std::bit_cast<double>((half + 1023) << 52);
  const double other_power = std::bit_cast<double>((exponent - half + 1023) << 52);
  return e * power * other_power;
}

OPWRIGHT_INLINE double log(double x) {
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const bool is_tiny = x < 2.2250738585072014e-308;
  const double scaled = is_tiny ? x * 18014398509481984.0 : x;  // 2^54
  const double shift = is_tiny ? -54.0 : 0.0;
  const uint64_t bits = std::bit_cast<uint64_t>(scaled);
  const uint64_t exponent = (bits - 0x3fe6a09e667f3bcdULL + (uint64_t{1024} << 52)) >> 52;
  const double f = std::bit_cast<double>(bits - ((exponent - 1024) << 52)) - 1.0;
  const double k =
      std::bit_cast<double>(exponent | 0x4330000000000000ULL) - 4503599627371520.0 + shift;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double p = 1.479819860511658591e-01;
  p = p * z + 1.531383769920937332e-01;
  p = p * z + 1.818357216161805012e-01;
  p = p * z + 2.222219843214978396e-01;
  p = p * z + 2.857142874366239149e-01;
  p = p * z + 3.999999999940941908e-01;
  p = p * z + 6.666666666666735130e-01;
  const double square = 0.5 * f * f;
  const double result = k * kLn2High - ((square - (s * (square + p * z) + k * kLn2Low)) - f);
  const double at_zero = x == 0.0 ? -kInfinite : result;
  const double below = x < 0.0 ? std::numeric_limits<double>::quiet_NaN() : at_zero;
  return x < kInfinite ? below : x;
}

}  // namespace opwright::vector_math
