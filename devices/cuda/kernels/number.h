// Numbers in device code: element types by a run-time code, conversions that are defined for every
// value, and converting loads and stores. Compiled by nvcc, by NVRTC and, for tests, by a host
// compiler.
#pragma once

#ifdef __CUDACC_RTC__
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = long long;
using uint64_t = unsigned long long;
#else
#include <cmath>
#include <cstdint>

#include "opwright/dtype.h"
#endif

// Functions for both sides; rarely called or large ones are not inlined.
#ifdef __CUDACC__
#define OPWRIGHT_ANYWHERE __host__ __device__ __forceinline__
#define OPWRIGHT_ANYWHERE_ONCE inline __host__ __device__ __noinline__
#else
#define OPWRIGHT_ANYWHERE inline
#define OPWRIGHT_ANYWHERE_ONCE inline
#endif

namespace opwright::cuda {

// The dtype of elements in memory, numbered from 0 without gaps for switches.
enum class Element : uint8_t {
  Bool,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Int8,
  Int16,
  Int32,
  Int64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128,
  None,
};

// Halves in memory; computed as float.
struct HalfBits {
  uint16_t bits;
};
struct BFloatBits {
  uint16_t bits;
};
template <class T>
struct ComplexParts {
  T real;
  T imag;
};

template <class A, class B>
struct IsSame {
  static constexpr bool kValue = false;
};
template <class A>
struct IsSame<A, A> {
  static constexpr bool kValue = true;
};
template <class A, class B>
inline constexpr bool kIsSame = IsSame<A, B>::kValue;
template <class T>
inline constexpr bool kIsFloating = kIsSame<T, float> || kIsSame<T, double>;
template <class T>
inline constexpr bool kIsHalfBits = kIsSame<T, HalfBits> || kIsSame<T, BFloatBits>;

OPWRIGHT_ANYWHERE float to_float(HalfBits half) {
#ifdef __CUDA_ARCH__
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(half.bits));
  return result;
#elif !defined(__CUDACC_RTC__)
  Half value;
  value.bits = half.bits;
  return value;
#endif
}
OPWRIGHT_ANYWHERE float to_float(BFloatBits half) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(static_cast<uint32_t>(half.bits) << 16);
#elif !defined(__CUDACC_RTC__)
  opwright::BFloat16 value;
  value.bits = half.bits;
  return value;
#endif
}
OPWRIGHT_ANYWHERE HalfBits to_half(float value) {
#ifdef __CUDA_ARCH__
  HalfBits result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
  return result;
#elif !defined(__CUDACC_RTC__)
  return {Half(value).bits};
#endif
}
OPWRIGHT_ANYWHERE BFloatBits to_bfloat(float value) {
#ifdef __CUDA_ARCH__
  BFloatBits result;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
  return result;
#elif !defined(__CUDACC_RTC__)
  return {opwright::BFloat16(value).bits};
#endif
}

// Towards zero; NaN and values that do not fit in 64 bits give the smallest int64, of which
// narrower types keep the low bits.
template <class To, class From>
OPWRIGHT_ANYWHERE To float_to_int(From value) {
  constexpr From kLimit = static_cast<From>(9223372036854775808.0);
  if constexpr (kIsSame<To, uint64_t>) {
    if (value >= kLimit && value < 2 * kLimit) return static_cast<uint64_t>(value);
  }
  const bool fits = value >= -kLimit && value < kLimit;
  constexpr int64_t kSmallest = -9223372036854775807LL - 1;
  return static_cast<To>(fits ? static_cast<int64_t>(value) : kSmallest);
}

// Converts any number to any other: a bool is "not zero", an imaginary part is dropped.
template <class To, class From>
OPWRIGHT_ANYWHERE To convert(From value) {
  if constexpr (kIsSame<To, From>) {
    return value;
  } else if constexpr (kIsHalfBits<From>) {
    return convert<To>(to_float(value));
  } else if constexpr (kIsSame<To, bool>) {
    return value != static_cast<From>(0);
  } else if constexpr (kIsSame<To, HalfBits>) {
    return to_half(static_cast<float>(value));
  } else if constexpr (kIsSame<To, BFloatBits>) {
    return to_bfloat(static_cast<float>(value));
  } else if constexpr (kIsFloating<From> && !kIsFloating<To>) {
    return float_to_int<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class T>
OPWRIGHT_ANYWHERE To convert_parts(ComplexParts<T> value) {
  if constexpr (kIsSame<To, bool>)
    return value.real != T(0) || value.imag != T(0);
  else
    return convert<To>(value.real);
}

// Element `at` of memory as a C.
template <class C>
OPWRIGHT_ANYWHERE_ONCE C convert_element(const void* data, Element element, int64_t at) {
  switch (element) {
    case Element::Bool:
      return convert<C>(static_cast<const uint8_t*>(data)[at] != 0);
    case Element::UInt8:
      return convert<C>(static_cast<const uint8_t*>(data)[at]);
    case Element::UInt16:
      return convert<C>(static_cast<const uint16_t*>(data)[at]);
    case Element::UInt32:
      return convert<C>(static_cast<const uint32_t*>(data)[at]);
    case Element::UInt64:
      return convert<C>(static_cast<const uint64_t*>(data)[at]);
    case Element::Int8:
      return convert<C>(static_cast<const int8_t*>(data)[at]);
    case Element::Int16:
      return convert<C>(static_cast<const int16_t*>(data)[at]);
    case Element::Int32:
      return convert<C>(static_cast<const int32_t*>(data)[at]);
    case Element::Int64:
      return convert<C>(static_cast<const int64_t*>(data)[at]);
    case Element::Float16:
      return convert<C>(static_cast<const HalfBits*>(data)[at]);
    case Element::BFloat16:
      return convert<C>(static_cast<const BFloatBits*>(data)[at]);
    case Element::Float32:
      return convert<C>(static_cast<const float*>(data)[at]);
    case Element::Float64:
      return convert<C>(static_cast<const double*>(data)[at]);
    case Element::Complex64:
      return convert_parts<C>(static_cast<const ComplexParts<float>*>(data)[at]);
    case Element::Complex128:
      return convert_parts<C>(static_cast<const ComplexParts<double>*>(data)[at]);
    default:
      return C{};
  }
}

template <class C>
OPWRIGHT_ANYWHERE_ONCE void store_converted(void* data, Element element, int64_t at, C value) {
  switch (element) {
    case Element::Bool:
      static_cast<uint8_t*>(data)[at] = convert<bool>(value) ? 1 : 0;
      break;
    case Element::UInt8:
      static_cast<uint8_t*>(data)[at] = convert<uint8_t>(value);
      break;
    case Element::UInt16:
      static_cast<uint16_t*>(data)[at] = convert<uint16_t>(value);
      break;
    case Element::UInt32:
      static_cast<uint32_t*>(data)[at] = convert<uint32_t>(value);
      break;
    case Element::UInt64:
      static_cast<uint64_t*>(data)[at] = convert<uint64_t>(value);
      break;
    case Element::Int8:
      static_cast<int8_t*>(data)[at] = convert<int8_t>(value);
      break;
    case Element::Int16:
      static_cast<int16_t*>(data)[at] = convert<int16_t>(value);
      break;
    case Element::Int32:
      static_cast<int32_t*>(data)[at] = convert<int32_t>(value);
      break;
    case Element::Int64:
      static_cast<int64_t*>(data)[at] = convert<int64_t>(value);
      break;
    case Element::Float16:
      static_cast<HalfBits*>(data)[at] = convert<HalfBits>(value);
      break;
    case Element::BFloat16:
      static_cast<BFloatBits*>(data)[at] = convert<BFloatBits>(value);
      break;
    case Element::Float32:
      static_cast<float*>(data)[at] = convert<float>(value);
      break;
    case Element::Float64:
      static_cast<double*>(data)[at] = convert<double>(value);
      break;
    case Element::Complex64:
      static_cast<ComplexParts<float>*>(data)[at] = {convert<float>(value), 0.0F};
      break;
    case Element::Complex128:
      static_cast<ComplexParts<double>*>(data)[at] = {convert<double>(value), 0.0};
      break;
    default:
      break;
  }
}

// Rounds `value` to the dtype of `through`; C is at least as wide, except for bools.
template <class C>
OPWRIGHT_ANYWHERE_ONCE C round_through(C value, Element through) {
  switch (through) {
    case Element::Bool:
      return convert<C>(convert<bool>(value));
    case Element::UInt8:
      return convert<C>(convert<uint8_t>(value));
    case Element::UInt16:
      return convert<C>(convert<uint16_t>(value));
    case Element::UInt32:
      return convert<C>(convert<uint32_t>(value));
    case Element::Int8:
      return convert<C>(convert<int8_t>(value));
    case Element::Int16:
      return convert<C>(convert<int16_t>(value));
    case Element::Int32:
      return convert<C>(convert<int32_t>(value));
    case Element::Float16:
      return convert<C>(convert<HalfBits>(value));
    case Element::BFloat16:
      return convert<C>(convert<BFloatBits>(value));
    case Element::Float32:
      return convert<C>(convert<float>(value));
    default:
      return value;
  }
}

// The dtype in memory that needs no conversion.
template <class C>
inline constexpr Element kNativeElement = kIsSame<C, float>      ? Element::Float32
                                          : kIsSame<C, double>   ? Element::Float64
                                          : kIsSame<C, int32_t>  ? Element::Int32
                                          : kIsSame<C, int64_t>  ? Element::Int64
                                          : kIsSame<C, uint64_t> ? Element::UInt64
                                                                 : Element::Bool;

// convert_element and store_converted with the common dtypes inlined.
template <class C>
OPWRIGHT_ANYWHERE C load_as(const void* data, Element element, int64_t at) {
  if (element == kNativeElement<C>) {
    if constexpr (kIsSame<C, bool>)
      return static_cast<const uint8_t*>(data)[at] != 0;
    else
      return static_cast<const C*>(data)[at];
  }
  if constexpr (kIsSame<C, float>) {
    if (element == Element::BFloat16) return to_float(static_cast<const BFloatBits*>(data)[at]);
    if (element == Element::Float16) return to_float(static_cast<const HalfBits*>(data)[at]);
  }
  return convert_element<C>(data, element, at);
}
template <class C>
OPWRIGHT_ANYWHERE void store_as(void* data, Element element, int64_t at, C value) {
  if (element == kNativeElement<C>) {
    if constexpr (kIsSame<C, bool>)
      static_cast<uint8_t*>(data)[at] = value ? 1 : 0;
    else
      static_cast<C*>(data)[at] = value;
    return;
  }
  if constexpr (kIsSame<C, float>) {
    if (element == Element::BFloat16) {
      static_cast<BFloatBits*>(data)[at] = to_bfloat(value);
      return;
    }
    if (element == Element::Float16) {
      static_cast<HalfBits*>(data)[at] = to_half(value);
      return;
    }
  }
  store_converted<C>(data, element, at, value);
}

// ---- several contiguous elements, aligned to all of them ----

OPWRIGHT_ANYWHERE bool is_aligned_to(const void* data, uint64_t bytes) {
  return reinterpret_cast<uint64_t>(data) % bytes == 0;
}

template <class T, int kCount>
struct alignas(sizeof(T) * kCount > 16 ? 16 : sizeof(T) * kCount) Pack {
  T elements[kCount];
};

template <class T, class C, int kCount>
OPWRIGHT_ANYWHERE void load_pack(const void* data, int64_t at, C (&values)[kCount]) {
  const auto pack = *reinterpret_cast<const Pack<T, kCount>*>(static_cast<const T*>(data) + at);
  for (int e = 0; e < kCount; ++e) values[e] = convert<C>(pack.elements[e]);
}
template <class T, class C, int kCount>
OPWRIGHT_ANYWHERE void store_pack(void* data, int64_t at, const C (&values)[kCount]) {
  Pack<T, kCount> pack;
  for (int e = 0; e < kCount; ++e) pack.elements[e] = convert<T>(values[e]);
  *reinterpret_cast<Pack<T, kCount>*>(static_cast<T*>(data) + at) = pack;
}

template <class C, int kCount>
OPWRIGHT_ANYWHERE void load_run_as(const void* data, Element element, int64_t at,
                                   C (&values)[kCount]) {
  if constexpr (!kIsSame<C, bool>) {
    if (element == kNativeElement<C>) return load_pack<C>(data, at, values);
  }
  if (element == Element::Bool || element == Element::UInt8) {
    uint8_t bytes[kCount];
    load_pack<uint8_t>(data, at, bytes);
    for (int e = 0; e < kCount; ++e)
      values[e] = element == Element::Bool ? convert<C>(bytes[e] != 0) : convert<C>(bytes[e]);
    return;
  }
  if constexpr (kIsSame<C, float>) {
    if (element == Element::BFloat16) return load_pack<BFloatBits>(data, at, values);
    if (element == Element::Float16) return load_pack<HalfBits>(data, at, values);
  }
  for (int e = 0; e < kCount; ++e) values[e] = convert_element<C>(data, element, at + e);
}
template <class C, int kCount>
OPWRIGHT_ANYWHERE void store_run_as(void* data, Element element, int64_t at,
                                    const C (&values)[kCount]) {
  if constexpr (!kIsSame<C, bool>) {
    if (element == kNativeElement<C>) return store_pack<C>(data, at, values);
  }
  if (element == Element::Bool) {
    uint8_t bytes[kCount];
    for (int e = 0; e < kCount; ++e) bytes[e] = convert<bool>(values[e]) ? 1 : 0;
    return store_pack<uint8_t>(data, at, bytes);
  }
  if constexpr (kIsSame<C, float>) {
    if (element == Element::BFloat16) return store_pack<BFloatBits>(data, at, values);
    if (element == Element::Float16) return store_pack<HalfBits>(data, at, values);
  }
  for (int e = 0; e < kCount; ++e) store_converted<C>(data, element, at + e, values[e]);
}

}  // namespace opwright::cuda
