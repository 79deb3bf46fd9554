// Mathematical functions for float32, written so that loops over them vectorize: no branches, no
// tables, no calls. The error is below 2 ulp (tests/ops/vector_math_test.cpp). Intermediate values
// that need more digits are computed in double.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "opwright/ops/engine/cpu/cpu_level.h"

namespace opwright::vector_math {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
// Adding and subtracting one rounds to an integer, which is in the lowest bits of the sum.
inline constexpr float kRoundingFloat = 12582912.0F;           // 1.5 * 2^23
inline constexpr double kRoundingDouble = 6755399441055744.0;  // 1.5 * 2^52

OPWRIGHT_INLINE float power_of_two(int32_t exponent) {
  return std::bit_cast<float>((exponent + 127) << 23);
}
OPWRIGHT_INLINE float with_sign_of(float magnitude, float sign) {
  return std::bit_cast<float>((std::bit_cast<uint32_t>(magnitude) & 0x7fffffffU) |
                              (std::bit_cast<uint32_t>(sign) & 0x80000000U));
}
OPWRIGHT_INLINE double with_sign_of(double magnitude, double sign) {
  return std::bit_cast<double>((std::bit_cast<uint64_t>(magnitude) & ~(uint64_t{1} << 63)) |
                               (std::bit_cast<uint64_t>(sign) & uint64_t{1} << 63));
}

// e^r and n, where x = n * ln(2) + r with |r| <= ln(2) / 2; for |x| <= 104.
struct Exponential {
  float power;
  int32_t exponent;
};
OPWRIGHT_INLINE Exponential split_exp(float x) {
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  const float shifted = x * kLog2E + kRoundingFloat;
  const float n = shifted - kRoundingFloat;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float q = 1.9891080463988289e-4F;
  q = q * r + 1.3933730715791834e-3F;
  q = q * r + 8.3333108446478777e-3F;
  q = q * r + 4.1666464197405696e-2F;
  q = q * r + 0.16666666681704215F;
  q = q * r + 0.5F;
  return {(q * r) * r + r + 1.0F, static_cast<int32_t>(std::bit_cast<uint32_t>(shifted) -
                                                       std::bit_cast<uint32_t>(kRoundingFloat))};
}

OPWRIGHT_INLINE float exp(float x) {
  const float above = x < -104.0F ? -104.0F : x;
  const Exponential e = split_exp(above > 89.0F ? 89.0F : above);
  // Both powers of two are normal, even if their product is not.
  const int32_t half = e.exponent >> 1;
  return e.power * power_of_two(half) * power_of_two(e.exponent - half);
}
// For normal results: -87 <= x <= 88.
OPWRIGHT_INLINE float exp_in_range(float x) {
  const Exponential e = split_exp(x);
  return e.power * power_of_two(e.exponent);
}

OPWRIGHT_INLINE float sigmoid(float x) { return 1.0F / (1.0F + exp(-x)); }

OPWRIGHT_INLINE float tanh(float x) {
  const float magnitude = std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0x7fffffffU);
  const float z = x * x;
  float p = 2.2924763093064471e-3F;
  p = p * z - 8.3436560877992189e-3F;
  p = p * z + 2.1768805102542865e-2F;
  p = p * z - 5.3959240062248399e-2F;
  p = p * z + 0.13333303419740922F;
  p = p * z - 0.33333333169430812F;
  const float small = x + x * z * p;
  const float limited = magnitude > 20.0F ? 20.0F : magnitude;
  const float large = 1.0F - 2.0F / (exp_in_range(2.0F * limited) + 1.0F);
  return magnitude < 0.625F ? small : with_sign_of(large, x);
}

OPWRIGHT_INLINE float erf(float x) {
  const float t = std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0x7fffffffU);
  const float s = x * x;
  float tail = -1.72853470e-5F * t + 3.83197126e-4F;
  const float odd = -3.88396438e-3F * t + 2.42546219e-2F;
  tail = tail * s + odd;
  tail = tail * t - 1.06777877e-1F;
  tail = tail * t - 6.34846687e-1F;
  tail = tail * t - 1.28717512e-1F;
  tail = tail * t - t;
  const float partial = 1.0F - exp_in_range(tail);
  const float large = with_sign_of(t > 4.0F ? 1.0F : partial, x);
  float p = -5.96761703e-4F;
  p = p * s + 4.99119423e-3F;
  p = p * s - 2.67681349e-2F;
  p = p * s + 1.12819925e-1F;
  p = p * s - 3.76125336e-1F;
  p = p * s + 1.28379166e-1F;
  const float small = p * x + x;
  return t > 0.927734375F ? large : small;
}

// 2^n and e^r - 1 in double, where x = n * ln(2) + r; for |x| <= 700.
struct WideExponential {
  double scale, rest;
};
OPWRIGHT_INLINE WideExponential split_exp_wide(double x) {
  constexpr double kLog2E = 1.4426950408889634;
  constexpr double kLn2High = 0.693147180369123816490;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  const double shifted = x * kLog2E + kRoundingDouble;
  const double n = shifted - kRoundingDouble;
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double q = 2.3985609897938534e-05;
  q = q * r + 0.00019899390183679625;
  q = q * r + 0.0013890694896224627;
  q = q * r + 0.0083332983440230924;
  q = q * r + 0.041666655640829359;
  q = q * r + 0.16666666719312481;
  q = q * r + 0.5;
  return {std::bit_cast<double>((std::bit_cast<uint64_t>(shifted) + 1023) << 52), (q * r) * r + r};
}
OPWRIGHT_INLINE double exp_wide(double x) {
  const WideExponential e = split_exp_wide(x);
  return e.scale * e.rest + e.scale;
}
OPWRIGHT_INLINE double expm1_wide(double x) {
  const WideExponential e = split_exp_wide(x);
  return e.scale * e.rest + (e.scale - 1.0);
}
OPWRIGHT_INLINE double bounded(double x, double limit) {
  const double above = x < -limit ? -limit : x;
  return above > limit ? limit : above;
}

OPWRIGHT_INLINE float expm1(float x) { return static_cast<float>(expm1_wide(bounded(x, 200.0))); }
OPWRIGHT_INLINE float sinh(float x) {
  const double wide = x;
  const double e = expm1_wide(bounded(wide < 0 ? -wide : wide, 200.0));
  return static_cast<float>(with_sign_of(0.5 * (e + e / (e + 1.0)), wide));
}
OPWRIGHT_INLINE float cosh(float x) {
  const double e = exp_wide(bounded(x, 200.0));
  return static_cast<float>(0.5 * (e + 1.0 / e));
}

// ln(x) of a positive, finite and normal x, to 12 digits.
OPWRIGHT_INLINE double log_wide(double x) {
  constexpr double kLn2 = 0.69314718055994531;
  constexpr uint64_t kHalfRoot = 0x3fe6a09e667f3bcdULL;  // sqrt(1/2)
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const uint64_t above = bits - kHalfRoot + (uint64_t{1024} << 52);
  const uint64_t exponent = above >> 52;  // plus 1024
  const double m = std::bit_cast<double>(bits - ((exponent - 1024) << 52));
  // Converts an int below 2^51 to double through its bits.
  const double n = std::bit_cast<double>(exponent | 0x4330000000000000ULL) - 4503599627371520.0;
  const double t = (m - 1.0) / (m + 1.0);
  const double z = t * t;
  double p = 0.19609592916949259;
  p = p * z + 0.22174150760917444;
  p = p * z + 0.28572168415052901;
  p = p * z + 0.39999994870971811;
  p = p * z + 0.6666666667964497;
  p = p * z + 1.9999999999999469;
  return n * kLn2 + t * p;
}
// The logarithm outside the positive, finite numbers.
OPWRIGHT_INLINE float logarithm_or_limit(float x, float result) {
  const float at_zero = x == 0.0F ? -kInfinity : result;
  const float below = x < 0.0F ? kNan : at_zero;
  return x < kInfinity ? below : x;  // infinity and NaN
}

OPWRIGHT_INLINE float log(float x) {
  const bool is_tiny = x < 1.17549435e-38F;
  const float scaled = is_tiny ? x * 8388608.0F : x;
  const float shift = is_tiny ? -23.0F : 0.0F;
  const uint32_t bits = std::bit_cast<uint32_t>(scaled);
  const uint32_t exponent = (bits - std::bit_cast<uint32_t>(0.666666667F)) & 0xff800000U;
  const float m = std::bit_cast<float>(bits - exponent) - 1.0F;  // in [-1/3, 1/3]
  const float n = static_cast<float>(static_cast<int32_t>(exponent)) * 1.19209290e-7F + shift;
  const float s = m * m;
  float r = -0.130310059F;
  float t = 0.140869141F;
  r = r * s - 0.121483512F;
  t = t * s + 0.139814854F;
  r = r * s - 0.166846126F;
  t = t * s + 0.200120345F;
  r = r * s - 0.249996200F;
  r = t * m + r;
  r = r * m + 0.333331972F;
  r = r * m - 0.5F;
  r = r * s + m;
  return logarithm_or_limit(x, n * 0.693147182F + r);
}
OPWRIGHT_INLINE float log2(float x) {
  return logarithm_or_limit(x, static_cast<float>(log_wide(x) * 1.4426950408889634));
}
OPWRIGHT_INLINE float log10(float x) {
  return logarithm_or_limit(x, static_cast<float>(log_wide(x) * 0.43429448190325183));
}
// ln(1 + x) for x > -1, finite.
OPWRIGHT_INLINE double log1p_wide(double x) {
  const double small = x - 0.5 * x * x;
  const double large = log_wide(1.0 + x);
  const double magnitude = x < 0 ? -x : x;
  return magnitude < 9.5367431640625e-07 ? small : large;
}
OPWRIGHT_INLINE float log1p(float x) {
  const float result = static_cast<float>(log1p_wide(x));
  const float at_minus_one = x == -1.0F ? -kInfinity : result;
  const float below = x < -1.0F ? kNan : at_minus_one;
  return x < kInfinity ? below : x;
}

OPWRIGHT_INLINE float asinh(float x) {
  const double wide = x;
  const double magnitude = wide < 0 ? -wide : wide;
  const double square = wide * wide;
  const double result = log1p_wide(magnitude + square / (1.0 + std::sqrt(square + 1.0)));
  const float finite = static_cast<float>(with_sign_of(result, wide));
  return magnitude < 1e39 ? finite : x;  // not infinite
}
OPWRIGHT_INLINE float acosh(float x) {
  const double d = static_cast<double>(x) - 1.0;
  const float result = static_cast<float>(log1p_wide(d + std::sqrt(d * (d + 2.0))));
  const float inside = x < 1.0F ? kNan : result;
  return x < kInfinity ? inside : x;
}
OPWRIGHT_INLINE float atanh(float x) {
  const double wide = x;
  const double magnitude = wide < 0 ? -wide : wide;
  const double result = 0.5 * log1p_wide(2.0 * magnitude / (1.0 - magnitude));
  const float finite = static_cast<float>(with_sign_of(result, wide));
  const float at_one = magnitude == 1.0 ? with_sign_of(kInfinity, x) : finite;
  return magnitude <= 1.0 ? at_one : kNan;
}

// The angle of the point (x, y), with y >= 0 and x of any sign, not both infinite.
OPWRIGHT_INLINE double angle_wide(double y, double x) {
  constexpr double kPi = 3.14159265358979324;
  const double width = x < 0 ? -x : x;
  const double low = y < width ? y : width;
  const double high = y < width ? width : y;
  const bool is_wide = low > 0.41421356237309503 * high;  // tan(pi / 8)
  const double over = is_wide ? low - high : low;
  const double sum = is_wide ? low + high : high;
  const double under = sum == 0 ? 1.0 : sum;
  const double t = over / under;
  const double z = t * t;
  double p = 0.047051638361756166;
  p = p * z - 0.084551584866666946;
  p = p * z + 0.11040306933178559;
  p = p * z - 0.14281574100918665;
  p = p * z + 0.1999988332875306;
  p = p * z - 0.33333332090762097;
  p = p * z + 0.99999999997825739;
  const double base = is_wide ? kPi / 4 : 0.0;
  const double octant = base + t * p;
  const double quadrant = y > width ? kPi / 2 - octant : octant;
  const bool is_left = std::bit_cast<int64_t>(x) < 0;
  return is_left ? kPi - quadrant : quadrant;
}
OPWRIGHT_INLINE float atan(float x) {
  const double wide = x;
  const double magnitude = wide < 0 ? -wide : wide;
  const double limited = magnitude > 1e30 ? 1e30 : magnitude;
  const float result = static_cast<float>(with_sign_of(angle_wide(limited, 1.0), wide));
  return x == x ? result : x;
}
OPWRIGHT_INLINE float asin(float x) {
  const double wide = x;
  const double magnitude = wide < 0 ? -wide : wide;
  const double side = std::sqrt((1.0 - magnitude) * (1.0 + magnitude));
  const float result = static_cast<float>(with_sign_of(angle_wide(magnitude, side), wide));
  return magnitude <= 1.0 ? result : kNan;
}
OPWRIGHT_INLINE float acos(float x) {
  const double wide = x;
  const double magnitude = wide < 0 ? -wide : wide;
  const double side = std::sqrt((1.0 - magnitude) * (1.0 + magnitude));
  const float result = static_cast<float>(angle_wide(side, wide));
  return magnitude <= 1.0 ? result : kNan;
}
OPWRIGHT_INLINE float atan2(float y, float x) {
  const double height = y < 0 ? -static_cast<double>(y) : static_cast<double>(y);
  const double width = x < 0 ? -static_cast<double>(x) : static_cast<double>(x);
  // Two infinities have the angle of two equal numbers; next to a finite number, one is just large.
  const double bounded_height = height > 1e39 ? 1e300 : height;
  const double bounded_width = width > 1e39 ? 1e300 : width;
  const float result = static_cast<float>(
      with_sign_of(angle_wide(bounded_height, with_sign_of(bounded_width, static_cast<double>(x))),
                   static_cast<double>(y)));
  const float checked = x == x ? result : x;
  return y == y ? checked : y;
}

// Beyond it the reduction would need more digits of pi.
inline constexpr float kLargestAngle = 100000.0F;
OPWRIGHT_INLINE bool is_large_angle(float x) {
  return !((x < kLargestAngle) & (x > -kLargestAngle));
}

// For |x| <= kLargestAngle: the remainder after removing quarter turns, and their number.
struct Quarter {
  double sine, cosine;
  uint64_t count;
};
OPWRIGHT_INLINE Quarter reduce_angle(float x) {
  constexpr double kTwoOverPi = 0.63661977236758138;
  constexpr double kHigh = 1.57079632673412561417e+00;  // 33 bits of pi / 2
  constexpr double kMiddle = 6.07710050630396597660e-11;
  constexpr double kLow = 2.02226624879595063154e-21;
  const double shifted = x * kTwoOverPi + kRoundingDouble;
  const double n = shifted - kRoundingDouble;
  const double r = ((x - n * kHigh) - n * kMiddle) - n * kLow;
  const double z = r * r;
  double s = 0.0000027183114939898219064;
  s = s * z - 0.000198393348360966317347;
  s = s * z + 0.0083333293858894631756;
  s = s * z - 0.166666666416265235595;
  double c = 0.0000243904487962774090654;
  c = c * z - 0.00138867637746099294692;
  c = c * z + 0.0416666233237390631894;
  c = c * z - 0.499999997251031003120;
  return {r + r * z * s, 1.0 + z * c, std::bit_cast<uint64_t>(shifted)};
}
OPWRIGHT_INLINE double negated_if(double x, uint64_t bit) {
  return std::bit_cast<double>(std::bit_cast<uint64_t>(x) ^ (bit & 1) << 63);
}
OPWRIGHT_INLINE float sin(float x) {
  const Quarter quarter = reduce_angle(x);
  const double value = (quarter.count & 1) != 0 ? quarter.cosine : quarter.sine;
  return x == 0.0F ? x : static_cast<float>(negated_if(value, quarter.count >> 1));
}
OPWRIGHT_INLINE float cos(float x) {
  const Quarter quarter = reduce_angle(x);
  const double value = (quarter.count & 1) != 0 ? quarter.sine : quarter.cosine;
  return static_cast<float>(negated_if(value, (quarter.count >> 1) ^ quarter.count));
}
OPWRIGHT_INLINE float tan(float x) {
  const Quarter quarter = reduce_angle(x);
  const bool is_turned = (quarter.count & 1) != 0;
  const double over = is_turned ? quarter.cosine : quarter.sine;
  const double under = is_turned ? -quarter.sine : quarter.cosine;
  return x == 0.0F ? x : static_cast<float>(over / under);
}

// x is finite and not 0, y is finite.
OPWRIGHT_INLINE bool is_special_power(float x, float y) {
  const float magnitude = x < 0 ? -x : x;
  const float exponent = y < 0 ? -y : y;
  return !((magnitude > 0.0F) & (magnitude < kInfinity) & (exponent < kInfinity));
}
OPWRIGHT_INLINE float pow(float x, float y) {
  const double magnitude = x < 0 ? -static_cast<double>(x) : static_cast<double>(x);
  const double product = bounded(static_cast<double>(y) * log_wide(magnitude), 200.0);
  const auto result = static_cast<float>(exp_wide(product));
  // For a negative base, by bits: an odd exponent flips the sign, a non-integer one gives NaN.
  // Floats from 2^24 on are even.
  const float above = y < -16777216.0F ? -16777216.0F : y;
  const float limited = above > 16777216.0F ? 16777216.0F : above;
  const auto whole = static_cast<int32_t>(limited);
  const uint32_t no_number = static_cast<float>(whole) == limited ? 0U : 0x7fc00000U;
  const uint32_t is_negative = std::bit_cast<uint32_t>(x) >> 31;
  const uint32_t sign = (static_cast<uint32_t>(whole) & is_negative) << 31;
  return std::bit_cast<float>((std::bit_cast<uint32_t>(result) ^ sign) |
                              (no_number & (0U - is_negative)));
}

}  // namespace opwright::vector_math
