#include "opwright/ops/engine/cpu/float8_conversion.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"

namespace opwright {
namespace {

constexpr uint8_t kNan = 0x7f;  // of both formats

// What distinguishes the two formats, each with a sign in the highest bit.
struct E4M3FN {
  static constexpr int kMantissaBits = 3;
  static constexpr int kBias = 7;
  static constexpr bool kHasInfinity = false;
  static constexpr uint8_t kOverflow = 0x7e;  // the largest number, as in PyTorch
};
struct E5M2 {
  static constexpr int kMantissaBits = 2;
  static constexpr int kBias = 15;
  static constexpr bool kHasInfinity = true;
  static constexpr uint8_t kOverflow = 0x7c;  // infinity; what is above it is nan
};

template <class Format>
constexpr float read_byte(uint8_t byte) {
  constexpr int kShift = 23 - Format::kMantissaBits;
  constexpr uint32_t kMantissa = (1U << Format::kMantissaBits) - 1;
  const uint32_t sign = static_cast<uint32_t>(byte & 0x80) << 24;
  const uint32_t magnitude = byte & 0x7fU;
  const uint32_t exponent = magnitude >> Format::kMantissaBits;
  if (magnitude > Format::kOverflow) return std::bit_cast<float>(sign | 0x7fc00000U);
  if (Format::kHasInfinity && magnitude == Format::kOverflow)
    return std::bit_cast<float>(sign | 0x7f800000U);
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((magnitude << kShift) + ((127U - Format::kBias) << 23)));
  // A subnormal number: an integer multiple of the smallest one.
  float value = static_cast<float>(magnitude & kMantissa);
  for (int i = 0; i < Format::kBias - 1 + Format::kMantissaBits; ++i) value *= 0.5F;
  return sign != 0 ? -value : value;
}

template <class Format>
constexpr auto kFloats = [] {
  std::array<float, 256> floats{};
  for (size_t i = 0; i < floats.size(); ++i) floats[i] = read_byte<Format>(static_cast<uint8_t>(i));
  return floats;
}();

// Rounds to nearest, ties to even; what is too large overflows.
template <class Format>
constexpr uint8_t write_byte(float value) {
  constexpr int kShift = 23 - Format::kMantissaBits;
  const auto word = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint8_t>(word >> 24 & 0x80U);
  const uint32_t magnitude = word & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return sign | kNan;
  constexpr uint32_t kSmallestNormal = static_cast<uint32_t>(128 - Format::kBias) << 23;
  if (magnitude < kSmallestNormal) {
    // The sum with this number has the unit of the subnormal numbers in its last place, so the
    // addition rounds.
    constexpr uint32_t kUnit = static_cast<uint32_t>(127 - Format::kBias + 1 + kShift) << 23;
    const float sum = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kUnit);
    return sign | static_cast<uint8_t>(std::bit_cast<uint32_t>(sum) - kUnit);
  }
  const uint32_t odd = magnitude >> kShift & 1U;
  const uint32_t rounded = magnitude + (1U << (kShift - 1)) - 1U + odd;
  constexpr uint32_t kBias = static_cast<uint32_t>(127 - Format::kBias) << Format::kMantissaBits;
  const uint32_t byte = (rounded >> kShift) - kBias;
  return sign | (byte >= Format::kOverflow ? Format::kOverflow : static_cast<uint8_t>(byte));
}

template <class To, class Format>
void read_float8(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride,
                 int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const auto byte = std::to_integer<uint8_t>(from[i * from_stride]);
    *reinterpret_cast<To*>(to + i * to_stride) = convert_number<To>(kFloats<Format>[byte]);
  }
}
template <class Format, class From>
void write_float8(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride,
                  int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const From value = *reinterpret_cast<const From*>(from + i * from_stride);
    to[i * to_stride] = std::byte{write_byte<Format>(convert_number<float>(value))};
  }
}
template <class To, class From>
void rewrite_float8(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride,
                    int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const auto byte = std::to_integer<uint8_t>(from[i * from_stride]);
    to[i * to_stride] = std::byte{write_byte<To>(kFloats<From>[byte])};
  }
}

template <class Format, class Other>
ConversionFunction find_with(DType to, DType from) {
  if (is_float8(to) && is_float8(from)) return &rewrite_float8<Format, Other>;
  if (is_float8(to)) {
    return for_dtype(from, "conversion", []<typename From>() -> ConversionFunction {
      return &write_float8<Format, From>;
    });
  }
  return for_dtype(to, "conversion",
                   []<typename To>() -> ConversionFunction { return &read_float8<To, Format>; });
}

}  // namespace

ConversionFunction find_float8_conversion(DType to, DType from) {
  const DType format = is_float8(to) ? to : from;
  return format == DType::Float8E5M2 ? find_with<E5M2, E4M3FN>(to, from)
                                     : find_with<E4M3FN, E5M2>(to, from);
}

}  // namespace opwright
