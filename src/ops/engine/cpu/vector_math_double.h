// Mathematical functions for float64, like vector_math.h for float32: exp, log and pow, with the
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

// The upper half of a double: a product of two of them is exact.
OPWRIGHT_INLINE double upper_half(double x) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & 0xffffffff00000000ULL);
}

// A number as the sum of an upper half and a small rest.
struct SplitDouble {
  double high, low;
};

// log2(x) of a positive, finite and normal x, to 64 bits. The mantissa is compared with the nearer
// of 1 and 3/2: log(m) - log(base) = 2 atanh(s), s = (m - base) / (m + base).
OPWRIGHT_INLINE SplitDouble log2_split(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const uint64_t mantissa = bits & 0x000fffffffffffffULL;
  const bool is_above = mantissa >= 0x000bb67a00000000ULL;                 // sqrt(3): nearer to 2
  const bool is_middle = (mantissa >= 0x0003988f00000000ULL) & !is_above;  // sqrt(3/2)
  const double m =
      std::bit_cast<double>(mantissa | (is_above ? 0x3fe0000000000000ULL : 0x3ff0000000000000ULL));
  const uint64_t exponent = (bits >> 52) + (is_above ? 1 : 0);
  // Converts an int below 2^51 to double through its bits.
  const double n = std::bit_cast<double>(exponent | 0x4330000000000000ULL) - 4503599627371519.0;
  const double base = is_middle ? 1.5 : 1.0;
  const double log2_high = is_middle ? 5.84962487220764160156e-01 : 0.0;  // of the base
  const double log2_low = is_middle ? 1.35003920212974897128e-08 : 0.0;

  const double difference = m - base;
  const double inverse = 1.0 / (m + base);
  const double s = difference * inverse;
  const double s_high = upper_half(s);
  const double sum_high = upper_half(m + base);
  const double sum_low = m - (sum_high - base);
  const double s_low = inverse * ((difference - s_high * sum_high) - s_high * sum_low);

  const double z = s * s;
  double p = 2.06975017800338417784e-01;
  p = p * z + 2.30660745775561754067e-01;
  p = p * z + 2.72728123808534006489e-01;
  p = p * z + 3.33333329818377432918e-01;
  p = p * z + 4.28571428578550184252e-01;
  p = p * z + 5.99999999999994648725e-01;
  const double rest = z * z * p + s_low * (s_high + s);
  // 3 + s^2 + ..., by which 2 s / 3 is multiplied
  const double square = s_high * s_high;
  const double factor_high = upper_half(3.0 + square + rest);
  const double factor_low = rest - ((factor_high - 3.0) - square);
  const double product = s_high * factor_high;
  const double product_rest = s_low * factor_high + factor_low * s;

  constexpr double kScale = 9.61796693925975554329e-01;  // 2 / (3 ln(2))
  constexpr double kScaleHigh = 9.61796700954437255859e-01;
  constexpr double kScaleLow = -7.02846165095275826516e-09;
  const double high = upper_half(product + product_rest);
  const double low = product_rest - (high - product);
  const double scaled_high = kScaleHigh * high;
  const double scaled_low = kScaleLow * high + low * kScale + log2_low;
  const double result = upper_half(((scaled_high + scaled_low) + log2_high) + n);
  return {result, scaled_low - (((result - n) - log2_high) - scaled_high)};
}

// 2^(high + low), where `high` is finite and `low` small.
OPWRIGHT_INLINE double exp2_split(SplitDouble x) {
  constexpr double kRounding = 6755399441055744.0;  // 1.5 * 2^52
  constexpr double kLn2 = 6.93147180559945286227e-01;
  constexpr double kLn2High = 6.93147182464599609375e-01;
  constexpr double kLn2Low = -1.90465429995776804525e-09;
  const double sum = x.high + x.low;
  const bool is_low = sum < -1080.0;
  const bool is_high = sum > 1030.0;
  const double shifted = ((is_low | is_high) ? 0.0 : sum) + kRounding;
  const double fraction = (is_low | is_high) ? 0.0 : x.high - (shifted - kRounding);
  const double t = upper_half(fraction + x.low);
  const double u = t * kLn2High;
  const double v = (x.low - (t - fraction)) * kLn2 + t * kLn2Low;
  const double r = u + v;
  const double w = v - (r - u);
  const double square = r * r;
  double p = 4.13813679705723846039e-08;
  p = p * square - 1.65339022054652515390e-06;
  p = p * square + 6.61375632143793436117e-05;
  p = p * square - 2.77777777770155933842e-03;
  p = p * square + 1.66666666666666019037e-01;
  const double c = r - square * p;
  const double e = 1.0 - (((r * c) / (c - 2.0) - (w + r * w)) - r);
  // Both powers of two are normal, even if their product is not.
  const uint64_t exponent = std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(kRounding);
  const uint64_t half = (exponent + 4096) / 2 - 2048;
  const double power = std::bit_cast<double>((half + 1023) << 52);
  const double other_power = std::bit_cast<double>((exponent - half + 1023) << 52);
  const double inside = e * power * other_power;
  const double below = is_low ? 0.0 : inside;
  return is_high ? std::numeric_limits<double>::infinity() : below;
}

// What pow does not cover: zeros, subnormal and infinite bases, infinite exponents, and exponents
// of negative bases whose last digit it cannot see.
OPWRIGHT_INLINE bool is_special_power(double x, double y) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const double magnitude = x < 0 ? -x : x;
  const double exponent = y < 0 ? -y : y;
  const bool is_covered = (magnitude >= 2.2250738585072014e-308) & (magnitude < kInfinite) &
                          (exponent < (x < 0 ? 2251799813685248.0 : kInfinite));
  return !is_covered;
}
OPWRIGHT_INLINE double pow(double x, double y) {
  constexpr double kRounding = 6755399441055744.0;
  constexpr double kMost = 73786976294838206464.0;  // any power of it, but of 1, is 0 or infinite
  const double above = y < -kMost ? -kMost : y;
  const double limited = above > kMost ? kMost : above;
  const SplitDouble log2 = log2_split(x < 0 ? -x : x);
  const double high = upper_half(limited);
  const double result =
      exp2_split({high * log2.high, (limited - high) * log2.high + limited * log2.low});
  // For a negative base, an odd exponent flips the sign, a non-integer one gives NaN.
  const double shifted = y + kRounding;
  const bool is_whole = shifted - kRounding == y;
  const uint64_t sign = (std::bit_cast<uint64_t>(shifted) & std::bit_cast<uint64_t>(x) >> 63) << 63;
  const double signed_result = std::bit_cast<double>(std::bit_cast<uint64_t>(result) ^ sign);
  const bool is_number = is_whole | (x > 0);
  return is_number ? signed_result : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace opwright::vector_math
