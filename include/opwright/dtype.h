// Element types, with DLPack's own numbers, and the corresponding C++ types.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "opwright/c_api.h"
#include "opwright/complex.h"
#include "opwright/error.h"

namespace opwright OPWRIGHT_VISIBILITY {
// code | bits << 8 | lanes << 16: the value of an OpwValue with the tag Dtype.
enum class DType : uint32_t {
  Bool = kOpwDtypeBool | 8 << 8 | 1 << 16,
  UInt8 = kOpwDtypeUInt | 8 << 8 | 1 << 16,
  UInt16 = kOpwDtypeUInt | 16 << 8 | 1 << 16,
  UInt32 = kOpwDtypeUInt | 32 << 8 | 1 << 16,
  UInt64 = kOpwDtypeUInt | 64 << 8 | 1 << 16,
  Int8 = kOpwDtypeInt | 8 << 8 | 1 << 16,
  Int16 = kOpwDtypeInt | 16 << 8 | 1 << 16,
  Int32 = kOpwDtypeInt | 32 << 8 | 1 << 16,
  Int64 = kOpwDtypeInt | 64 << 8 | 1 << 16,
  Float16 = kOpwDtypeFloat | 16 << 8 | 1 << 16,
  BFloat16 = kOpwDtypeBfloat | 16 << 8 | 1 << 16,
  Float32 = kOpwDtypeFloat | 32 << 8 | 1 << 16,
  Float64 = kOpwDtypeFloat | 64 << 8 | 1 << 16,
  Complex64 = kOpwDtypeComplex | 64 << 8 | 1 << 16,
  Complex128 = kOpwDtypeComplex | 128 << 8 | 1 << 16,
  Float8E4M3FN = kOpwDtypeFloat8E4M3FN | 8 << 8 | 1 << 16,
  Float8E5M2 = kOpwDtypeFloat8E5M2 | 8 << 8 | 1 << 16,
};

struct DTypeName {
  DType dtype;
  const char* name;
};
// All dtypes; the first fifteen support computation.
inline constexpr DTypeName kDTypes[] = {
    {DType::Bool, "bool"},
    {DType::UInt8, "uint8"},
    {DType::UInt16, "uint16"},
    {DType::UInt32, "uint32"},
    {DType::UInt64, "uint64"},
    {DType::Int8, "int8"},
    {DType::Int16, "int16"},
    {DType::Int32, "int32"},
    {DType::Int64, "int64"},
    {DType::Float16, "float16"},
    {DType::BFloat16, "bfloat16"},
    {DType::Float32, "float32"},
    {DType::Float64, "float64"},
    {DType::Complex64, "complex64"},
    {DType::Complex128, "complex128"},
    {DType::Float8E4M3FN, "float8_e4m3fn"},
    {DType::Float8E5M2, "float8_e5m2"},
};

constexpr uint8_t dtype_code(DType dtype) {
  return static_cast<uint8_t>(static_cast<uint32_t>(dtype) & 0xff);
}
constexpr uint32_t dtype_bits(DType dtype) { return static_cast<uint32_t>(dtype) >> 8 & 0xff; }
// Bytes of one element.
constexpr size_t item_size(DType dtype) { return dtype_bits(dtype) / 8; }
constexpr bool is_complex(DType dtype) { return dtype_code(dtype) == kOpwDtypeComplex; }
constexpr bool is_floating(DType dtype) {
  const uint8_t code = dtype_code(dtype);
  return code == kOpwDtypeFloat || code == kOpwDtypeBfloat || code == kOpwDtypeFloat8E4M3FN ||
         code == kOpwDtypeFloat8E5M2;
}
constexpr bool is_integral(DType dtype) {  // bool is not
  return dtype_code(dtype) == kOpwDtypeInt || dtype_code(dtype) == kOpwDtypeUInt;
}

constexpr OpwDtype to_dlpack(DType dtype) {
  return {dtype_code(dtype), static_cast<uint8_t>(dtype_bits(dtype)), 1};
}
constexpr DType from_dlpack(OpwDtype dtype) {  // the caller checks is_known
  return static_cast<DType>(dtype.code | static_cast<uint32_t>(dtype.bits) << 8 |
                            static_cast<uint32_t>(dtype.lanes) << 16);
}
// The name, or null if the number is not one of our dtypes.
constexpr const char* dtype_name_or_null(DType dtype) {
  for (const DTypeName& entry : kDTypes) {
    if (entry.dtype == dtype) return entry.name;
  }
  return nullptr;
}
constexpr bool is_known(DType dtype) { return dtype_name_or_null(dtype) != nullptr; }
inline void append_text(std::string& out, DType dtype) {
  const char* name = dtype_name_or_null(dtype);
  if (name) {
    out.append(name);
  } else {
    out.append(concatenate("dtype(code=", dtype_code(dtype), ", bits=", dtype_bits(dtype), ")"));
  }
}

// IEEE half: a storage type, computed as float.
struct Half {
  uint16_t bits = 0;

  Half() = default;
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr Half(Number value)  // NOLINT(google-explicit-constructor): a number type
      : bits(round(static_cast<float>(value))) {}
  constexpr operator float() const {  // NOLINT(google-explicit-constructor)
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
    const uint32_t exponent = bits >> 10 & 0x1f;
    uint32_t mantissa = bits & 0x3ff;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
    if (mantissa == 0) return std::bit_cast<float>(sign);
    uint32_t shift = 0;
    while ((mantissa & 0x400) == 0) mantissa <<= 1, ++shift;
    return std::bit_cast<float>(sign | (113 - shift) << 23 | (mantissa & 0x3ff) << 13);
  }

 private:
  static constexpr uint16_t round(float value) {  // to nearest, ties to even
    const uint32_t word = std::bit_cast<uint32_t>(value);
    const uint32_t sign = word >> 16 & 0x8000;
    const uint32_t magnitude = word & 0x7fffffff;
    if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);
    if (magnitude >= 0x47800000) return static_cast<uint16_t>(sign | 0x7c00);
    if (magnitude < 0x38800000) {  // subnormal or zero: let the float unit round at the right bit
      const float scaled = std::bit_cast<float>(magnitude) + 0.5F;
      return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(scaled) - 0x3f000000));
    }
    const uint32_t odd = magnitude >> 13 & 1;
    return static_cast<uint16_t>(sign | (magnitude - 0x38000000 + 0xfff + odd) >> 13);
  }
};

// The upper half of a float: a storage type, computed as float.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr BFloat16(Number value)  // NOLINT(google-explicit-constructor): a number type
      : bits(round(static_cast<float>(value))) {}
  constexpr operator float() const {  // NOLINT(google-explicit-constructor)
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }

 private:
  static constexpr uint16_t round(float value) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    if ((word & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(word >> 16 | 0x40);
    return static_cast<uint16_t>((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
};

// The dtype of a C++ type; DType{} for void.
template <class T>
constexpr DType dtype_of() {
  using Bare = std::remove_cv_t<T>;
  if constexpr (std::is_void_v<Bare>)
    return DType{};
  else if constexpr (std::is_same_v<Bare, bool>)
    return DType::Bool;
  else if constexpr (std::is_same_v<Bare, Half>)
    return DType::Float16;
  else if constexpr (std::is_same_v<Bare, BFloat16>)
    return DType::BFloat16;
  else if constexpr (std::is_same_v<Bare, Complex<float>>)
    return DType::Complex64;
  else if constexpr (std::is_same_v<Bare, Complex<double>>)
    return DType::Complex128;
  else {
    static_assert(std::is_arithmetic_v<Bare>, "this C++ type has no dtype");
    constexpr uint32_t code = std::is_floating_point_v<Bare> ? kOpwDtypeFloat
                              : std::is_signed_v<Bare>       ? kOpwDtypeInt
                                                             : kOpwDtypeUInt;
    return static_cast<DType>(code | sizeof(Bare) * 8 << 8 | 1 << 16);
  }
}
}  // namespace opwright
