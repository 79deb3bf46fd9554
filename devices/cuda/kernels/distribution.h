// Random elements in device code: the words of Philox 4x32-10 and the distributions on them, as
// described in docs/concepts/device_plugin.md.
//
// A thread takes one counter (two for elements of two words) and produces the four elements of its
// words: lanes c, c + 16, c + 32, c + 48 of a group of 64.
#pragma once

#include "devices/cuda/kernels/formula_functions.h"
#include "devices/cuda/kernels/number.h"

namespace opwright::cuda {

struct PhiloxWords {
  uint32_t words[4];
};

OPWRIGHT_ANYWHERE PhiloxWords philox(uint64_t seed, uint64_t counter) {
  uint32_t x0 = static_cast<uint32_t>(counter);
  uint32_t x1 = static_cast<uint32_t>(counter >> 32);
  uint32_t x2 = 0;
  uint32_t x3 = 0;
  uint32_t key0 = static_cast<uint32_t>(seed);
  uint32_t key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53U} * x0;
    const uint64_t product1 = uint64_t{0xCD9E8D57U} * x2;
    x0 = static_cast<uint32_t>(product1 >> 32) ^ x1 ^ key0;
    x1 = static_cast<uint32_t>(product1);
    x2 = static_cast<uint32_t>(product0 >> 32) ^ x3 ^ key1;
    x3 = static_cast<uint32_t>(product0);
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return {{x0, x1, x2, x3}};
}

// Multiples of 2^-53 in [0, 1).
OPWRIGHT_ANYWHERE double below_one(uint32_t low, uint32_t high) {
  return static_cast<double>(high) * 0x1p-32 + static_cast<double>(low >> 11) * 0x1p-53;
}
// In (0, 1].
OPWRIGHT_ANYWHERE float above_zero(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word >> 1)) * 0x1p-31F + 0x1p-32F;
}
OPWRIGHT_ANYWHERE double above_zero(uint32_t low, uint32_t high) {
  return below_one(low, high) + 0x1p-53;
}

template <class C>
struct Turned {
  C cosine;
  C sine;
};
// Sine and cosine of that angle plus `quarter` right angles.
template <class C>
OPWRIGHT_ANYWHERE Turned<C> turn(C cosine, C sine, uint32_t quarter) {
  const bool is_odd = (quarter & 1) != 0;
  const C along = is_odd ? sine : cosine;
  const C across = is_odd ? cosine : sine;
  return {((quarter + 1) >> 1 & 1) != 0 ? -along : along,
          (quarter >> 1 & 1) != 0 ? -across : across};
}
// The remainder of `word` to the nearest quarter turn, from -2^29 to 2^29.
OPWRIGHT_ANYWHERE int32_t rest_of_quarter(uint32_t shifted) {
  return static_cast<int32_t>(shifted & 0x3fffffffU) - (1 << 29);
}
OPWRIGHT_ANYWHERE Turned<float> direction(uint32_t word) {
  const uint32_t shifted = word + (1U << 29);
  const float angle = static_cast<float>(rest_of_quarter(shifted)) * (1.57079632679F * 0x1p-30F);
  return turn(formula::cos(angle), formula::sin(angle), shifted >> 30);
}
OPWRIGHT_ANYWHERE Turned<double> direction(uint32_t low, uint32_t high) {
  const uint32_t shifted = high + (1U << 29);
  const double angle =
      (static_cast<double>(rest_of_quarter(shifted)) + static_cast<double>(low) * 0x1p-32) *
      (1.5707963267948966 * 0x1p-30);
  return turn(formula::cos(angle), formula::sin(angle), shifted >> 30);
}

// Distributions: compute(words, elements) computes the four elements of one thread; words[k] are
// word k of each.
struct Uniform {
  using Value = float;
  static constexpr int kWords = 1;
  float from, width, last;
  int bits;
  OPWRIGHT_ANYWHERE void compute(const PhiloxWords* words, float* elements) const {
    float scale = width;
    for (int i = 0; i < bits; ++i) scale *= 0.5F;
    for (int i = 0; i < 4; ++i) {
      const auto number = static_cast<int32_t>(words[0].words[i] >> (32 - bits));
      const float value = formula::add(formula::multiply(static_cast<float>(number), scale), from);
      elements[i] = value < last ? value : last;
    }
  }
};
struct UniformDouble {
  using Value = double;
  static constexpr int kWords = 2;
  double from, width, last;
  OPWRIGHT_ANYWHERE void compute(const PhiloxWords* words, double* elements) const {
    for (int i = 0; i < 4; ++i) {
      const double number = below_one(words[0].words[i], words[1].words[i]);
      const double value = formula::add(formula::multiply(number, width), from);
      elements[i] = value < last ? value : last;
    }
  }
};
struct Normal {
  using Value = float;
  static constexpr int kWords = 1;
  float mean, std;
  OPWRIGHT_ANYWHERE void compute(const PhiloxWords* words, float* elements) const {
    for (int i = 0; i < 2; ++i) {
      const float u = above_zero(words[0].words[i]);
      const float radius = formula::sqrt(-2.0F * formula::log(u)) * std;
      const Turned<float> turned = direction(words[0].words[i + 2]);
      elements[i] = radius * turned.cosine + mean;
      elements[i + 2] = radius * turned.sine + mean;
    }
  }
};
struct NormalDouble {
  using Value = double;
  static constexpr int kWords = 2;
  double mean, std;
  OPWRIGHT_ANYWHERE void compute(const PhiloxWords* words, double* elements) const {
    for (int i = 0; i < 2; ++i) {
      const double u = above_zero(words[0].words[i], words[1].words[i]);
      const double radius = formula::sqrt(-2.0 * formula::log(u)) * std;
      const Turned<double> turned = direction(words[0].words[i + 2], words[1].words[i + 2]);
      elements[i] = radius * turned.cosine + mean;
      elements[i + 2] = radius * turned.sine + mean;
    }
  }
};
struct Exponential {
  using Value = float;
  static constexpr int kWords = 1;
  float scale;
  OPWRIGHT_ANYWHERE void compute(const PhiloxWords* words, float* elements) const {
    for (int i = 0; i < 4; ++i) {
      const float value = -formula::log(above_zero(words[0].words[i]));
      elements[i] = (value > 0x1p-26F ? value : 0x1p-26F) * scale;
    }
  }
};
struct ExponentialDouble {
  using Value = double;
  static constexpr int kWords = 2;
  double scale;
  OPWRIGHT_ANYWHERE void compute(const PhiloxWords* words, double* elements) const {
    for (int i = 0; i < 4; ++i) {
      const double value = -formula::log(above_zero(words[0].words[i], words[1].words[i]));
      elements[i] = (value > 0x1p-54 ? value : 0x1p-54) * scale;
    }
  }
};
struct Chance {
  using Value = bool;
  static constexpr int kWords = 1;
  uint32_t threshold;
  OPWRIGHT_ANYWHERE void compute(const PhiloxWords* words, bool* elements) const {
    for (int i = 0; i < 4; ++i) elements[i] = words[0].words[i] >> 1 < threshold;
  }
};
struct NarrowRange {
  using Value = int64_t;
  static constexpr int kWords = 1;
  int64_t low;
  uint64_t range;
  OPWRIGHT_ANYWHERE void compute(const PhiloxWords* words, int64_t* elements) const {
    for (int i = 0; i < 4; ++i)
      elements[i] = low + static_cast<int64_t>(uint64_t{words[0].words[i]} * range >> 32);
  }
};
struct WideRange {
  using Value = int64_t;
  static constexpr int kWords = 2;
  int64_t low;
  uint64_t range;  // 0 means all 64 bits
  // The upper half of a 128-bit product.
  OPWRIGHT_ANYWHERE static uint64_t high_product(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
#endif
  }
  OPWRIGHT_ANYWHERE void compute(const PhiloxWords* words, int64_t* elements) const {
    for (int i = 0; i < 4; ++i) {
      const uint64_t bits = uint64_t{words[1].words[i]} << 32 | words[0].words[i];
      const uint64_t scaled = range == 0 ? bits : high_product(bits, range);
      elements[i] = static_cast<int64_t>(static_cast<uint64_t>(low) + scaled);
    }
  }
};

}  // namespace opwright::cuda
