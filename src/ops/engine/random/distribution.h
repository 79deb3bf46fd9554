// Distributions computed in vector code; random_fill.h says what a distribution is.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/random/philox.h"

namespace opwright {

// ---- numbers in [0, 1) and (0, 1] -------------------------------------------------------------

// Multiples of 2^-53 in [0, 1).
OPWRIGHT_INLINE double below_one(uint32_t low, uint32_t high) {
  return static_cast<double>(high) * 0x1p-32 + static_cast<double>(low >> 11) * 0x1p-53;
}
// In (0, 1], dense near 0: for logarithms.
OPWRIGHT_INLINE float above_zero(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word >> 1)) * 0x1p-31F + 0x1p-32F;
}
OPWRIGHT_INLINE double above_zero(uint32_t low, uint32_t high) {
  return below_one(low, high) + 0x1p-53;
}

// ---- sine and cosine of a random angle --------------------------------------------------------

template <class T>
struct Direction {
  T cosine, sine;
};

// Rotates by `quarter` right angles, given the sine and cosine of x in [-pi/4, pi/4].
template <class T, class Bits>
OPWRIGHT_INLINE Direction<T> turn(T cosine, T sine, Bits quarter) {
  constexpr int kSign = 8 * sizeof(Bits) - 1;
  const bool is_odd = (quarter & 1) != 0;
  const T along = is_odd ? sine : cosine;
  const T across = is_odd ? cosine : sine;
  const Bits along_sign = ((quarter + 1) >> 1 & 1) << kSign;
  const Bits across_sign = (quarter >> 1 & 1) << kSign;
  return {std::bit_cast<T>(std::bit_cast<Bits>(along) ^ along_sign),
          std::bit_cast<T>(std::bit_cast<Bits>(across) ^ across_sign)};
}

// The angle is word / 2^32 of a circle: the upper two bits, rounded, count the quarters.
OPWRIGHT_INLINE Direction<float> random_direction(uint32_t word) {
  constexpr float kScale = 1.57079632679F * 0x1p-30F;
  const uint32_t shifted = word + (1U << 29);
  const auto rest = static_cast<int32_t>(shifted & 0x3fffffffU) - (1 << 29);
  const float x = static_cast<float>(rest) * kScale;
  const float z = x * x;
  float s = 2.7557319e-6F;
  s = s * z - 1.9841270e-4F;
  s = s * z + 8.3333333e-3F;
  s = s * z - 1.6666667e-1F;
  float c = -2.7557319e-7F;
  c = c * z + 2.4801587e-5F;
  c = c * z - 1.3888889e-3F;
  c = c * z + 4.1666667e-2F;
  c = c * z - 0.5F;
  return turn<float, uint32_t>(1.0F + z * c, x + x * z * s, shifted >> 30);
}
OPWRIGHT_INLINE Direction<double> random_direction(uint32_t low, uint32_t high) {
  constexpr double kScale = 1.5707963267948966 * 0x1p-30;
  const uint32_t shifted = high + (1U << 29);
  const auto rest = static_cast<int32_t>(shifted & 0x3fffffffU) - (1 << 29);
  const double x = (static_cast<double>(rest) + static_cast<double>(low) * 0x1p-32) * kScale;
  const double z = x * x;
  double s = 2.8114572543455206e-15;
  s = s * z - 7.6471637318198164e-13;
  s = s * z + 1.6059043836821613e-10;
  s = s * z - 2.5052108385441720e-08;
  s = s * z + 2.7557319223985893e-06;
  s = s * z - 1.9841269841269841e-04;
  s = s * z + 8.3333333333333332e-03;
  s = s * z - 1.6666666666666666e-01;
  double c = 4.7794773323873853e-14;
  c = c * z - 1.1470745597729725e-11;
  c = c * z + 2.0876756987868100e-09;
  c = c * z - 2.7557319223985888e-07;
  c = c * z + 2.4801587301587302e-05;
  c = c * z - 1.3888888888888889e-03;
  c = c * z + 4.1666666666666664e-02;
  c = c * z - 0.5;
  return turn<double, uint64_t>(1.0 + z * c, x + x * z * s, shifted >> 30);
}

// ---- distributions ----------------------------------------------------------------------------

// from + u * width, at most `last`; u is a multiple of 2^-bits, with the dtype's precision.
struct UniformFloat {
  using Element = float;
  static constexpr int64_t kWords = 1;
  float from, width, last;
  int bits;

  OPWRIGHT_INLINE void compute(const uint32_t* words, float* out) const {
    const float scale = width * std::bit_cast<float>((127 - bits) << 23);
    const int shift = 32 - bits;
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < kGroupWords; ++i) {
      const auto number = static_cast<int32_t>(words[i] >> shift);
      const float value = static_cast<float>(number) * scale + from;
      out[i] = value < last ? value : last;
    }
  }
};
struct UniformDouble {
  using Element = double;
  static constexpr int64_t kWords = 2;
  double from, width, last;

  OPWRIGHT_INLINE void compute(const uint32_t* words, double* out) const {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < kGroupWords; ++i) {
      const double value = below_one(words[i], words[kGroupWords + i]) * width + from;
      out[i] = value < last ? value : last;
    }
  }
};

// Box-Muller pairs: the distance from the origin and the direction are independent.
struct NormalFloat {
  using Element = float;
  static constexpr int64_t kWords = 1;
  float mean, std;

  OPWRIGHT_INLINE void compute(const uint32_t* words, float* out) const {
    constexpr int64_t kPairs = kGroupWords / 2;
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < kPairs; ++i) {
      const float radius = std::sqrt(-2.0F * vector_math::log(above_zero(words[i]))) * std;
      const Direction<float> direction = random_direction(words[kPairs + i]);
      out[i] = radius * direction.cosine + mean;
      out[kPairs + i] = radius * direction.sine + mean;
    }
  }
};
struct NormalDouble {
  using Element = double;
  static constexpr int64_t kWords = 2;
  double mean, std;

  OPWRIGHT_INLINE void compute(const uint32_t* words, double* out) const {
    constexpr int64_t kPairs = kGroupWords / 2;
    const uint32_t* high = words + kGroupWords;
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < kPairs; ++i) {
      const double radius = std::sqrt(-2.0 * vector_math::log(above_zero(words[i], high[i]))) * std;
      const Direction<double> direction = random_direction(words[kPairs + i], high[kPairs + i]);
      out[i] = radius * direction.cosine + mean;
      out[kPairs + i] = radius * direction.sine + mean;
    }
  }
};

// Never 0: if u rounds to 1, uses the mean of the values rounded to it.
struct ExponentialFloat {
  using Element = float;
  static constexpr int64_t kWords = 1;
  float scale;  // 1 / lambda

  OPWRIGHT_INLINE void compute(const uint32_t* words, float* out) const {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < kGroupWords; ++i) {
      const float value = -vector_math::log(above_zero(words[i]));
      out[i] = (value > 0x1p-26F ? value : 0x1p-26F) * scale;
    }
  }
};
struct ExponentialDouble {
  using Element = double;
  static constexpr int64_t kWords = 2;
  double scale;

  OPWRIGHT_INLINE void compute(const uint32_t* words, double* out) const {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < kGroupWords; ++i) {
      const double value = -vector_math::log(above_zero(words[i], words[kGroupWords + i]));
      out[i] = (value > 0x1p-54 ? value : 0x1p-54) * scale;
    }
  }
};

// True with probability threshold / 2^31.
struct Chance {
  using Element = bool;
  static constexpr int64_t kWords = 1;
  uint32_t threshold;

  OPWRIGHT_INLINE void compute(const uint32_t* words, bool* out) const {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < kGroupWords; ++i) out[i] = words[i] >> 1 < threshold;
  }
};

// Ints in [low, low + range): a number in [0, 1) times the range, in integer arithmetic. No value
// is more than range / 2^(32 * kWords) more likely than another.
struct NarrowRange {  // range <= 2^16
  using Element = int64_t;
  static constexpr int64_t kWords = 1;
  int64_t low;
  uint32_t range;

  OPWRIGHT_INLINE void compute(const uint32_t* words, int64_t* out) const {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < kGroupWords; ++i)
      out[i] = low + static_cast<int64_t>(uint64_t{words[i]} * range >> 32);
  }
};
struct MiddleRange {  // range < 2^32
  using Element = int64_t;
  static constexpr int64_t kWords = 2;
  int64_t low;
  uint32_t range;

  OPWRIGHT_INLINE void compute(const uint32_t* words, int64_t* out) const {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < kGroupWords; ++i) {
      const uint64_t carried = uint64_t{words[i]} * range >> 32;
      const uint64_t product = uint64_t{words[kGroupWords + i]} * range + carried;
      out[i] = low + static_cast<int64_t>(product >> 32);
    }
  }
};
struct WideRange {
  using Element = int64_t;
  static constexpr int64_t kWords = 2;
  int64_t low;
  uint64_t range;  // 0: all of 64 bits

  OPWRIGHT_INLINE void compute(const uint32_t* words, int64_t* out) const {
    for (int64_t i = 0; i < kGroupWords; ++i) {
      const uint64_t bits = uint64_t{words[kGroupWords + i]} << 32 | words[i];
      const auto scaled = static_cast<uint64_t>(static_cast<unsigned __int128>(bits) * range >> 64);
      out[i] = static_cast<int64_t>(static_cast<uint64_t>(low) + (range == 0 ? bits : scaled));
    }
  }
};

}  // namespace opwright
