#include "opwright/ops/cpu/conversion.h"

#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "opwright/for_dtype.h"
#include "opwright/ops/cpu/cpu_level.h"
#include "opwright/ops/cpu/numbers.h"

namespace opwright {
namespace {

template <class To, class From>
OPWRIGHT_INLINE void convert_dense(std::byte* to, const std::byte* from, int64_t count) {
  auto* target = reinterpret_cast<To*>(to);
  const auto* source = reinterpret_cast<const From*>(from);
  OPWRIGHT_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < count; ++i) target[i] = convert_number<To>(source[i]);
}

template <class To, class From>
void convert(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride,
             int64_t count) {
  if (to_stride == sizeof(To) && from_stride == sizeof(From))
    return convert_dense<To, From>(to, from, count);
  if (to_stride == sizeof(To) && from_stride == 0) {
    const To value = convert_number<To>(*reinterpret_cast<const From*>(from));
    auto* target = reinterpret_cast<To*>(to);
    for (int64_t i = 0; i < count; ++i) target[i] = value;
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    *reinterpret_cast<To*>(to + i * to_stride) =
        convert_number<To>(*reinterpret_cast<const From*>(from + i * from_stride));
  }
}

// Elements of one dtype are moved as what has their size.
template <class Item>
void move(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride,
          int64_t count) {
  if (to_stride == sizeof(Item) && from_stride == sizeof(Item)) {
    if (to != from) std::memcpy(to, from, static_cast<size_t>(count) * sizeof(Item));
    return;
  }
  convert<Item, Item>(to, to_stride, from, from_stride, count);
}

ConversionFunction find_move(size_t bytes) {
  switch (bytes) {
    case 1:
      return &move<uint8_t>;
    case 2:
      return &move<uint16_t>;
    case 4:
      return &move<uint32_t>;
    case 8:
      return &move<uint64_t>;
    default:
      return &move<Complex<double>>;
  }
}

#if defined(__x86_64__)
// What the compiler makes of convert_dense with wider registers.
template <class To, class From>
OPWRIGHT_AVX2 void convert_avx2(std::byte* to, int64_t to_stride, const std::byte* from,
                                int64_t from_stride, int64_t count) {
  if (to_stride == sizeof(To) && from_stride == sizeof(From))
    return convert_dense<To, From>(to, from, count);
  convert<To, From>(to, to_stride, from, from_stride, count);
}

OPWRIGHT_AVX2 void convert_half_to_float(std::byte* to, int64_t to_stride, const std::byte* from,
                                         int64_t from_stride, int64_t count) {
  int64_t i = 0;
  if (to_stride == sizeof(float) && from_stride == sizeof(Half)) {
    for (; i + 8 <= count; i += 8) {
      const auto* source = reinterpret_cast<const __m128i*>(from + i * from_stride);
      _mm256_storeu_ps(reinterpret_cast<float*>(to + i * to_stride),
                       _mm256_cvtph_ps(_mm_loadu_si128(source)));
    }
  }
  convert<float, Half>(to + i * to_stride, to_stride, from + i * from_stride, from_stride,
                       count - i);
}

OPWRIGHT_AVX2 void convert_float_to_half(std::byte* to, int64_t to_stride, const std::byte* from,
                                         int64_t from_stride, int64_t count) {
  int64_t i = 0;
  if (to_stride == sizeof(Half) && from_stride == sizeof(float)) {
    for (; i + 8 <= count; i += 8) {
      const auto* source = reinterpret_cast<const float*>(from + i * from_stride);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i * to_stride),
                       _mm256_cvtps_ph(_mm256_loadu_ps(source), _MM_FROUND_TO_NEAREST_INT));
    }
  }
  convert<Half, float>(to + i * to_stride, to_stride, from + i * from_stride, from_stride,
                       count - i);
}

// The pairs that are met often.
ConversionFunction find_avx2_conversion(DType to, DType from) {
  if (to == DType::Float32) {
    switch (from) {
      case DType::Float16:
        return &convert_half_to_float;
      case DType::BFloat16:
        return &convert_avx2<float, BFloat16>;
      case DType::Float64:
        return &convert_avx2<float, double>;
      case DType::Int64:
        return &convert_avx2<float, int64_t>;
      case DType::Int32:
        return &convert_avx2<float, int32_t>;
      case DType::UInt8:
        return &convert_avx2<float, uint8_t>;
      case DType::Bool:
        return &convert_avx2<float, bool>;
      default:
        return nullptr;
    }
  }
  if (from != DType::Float32) return nullptr;
  switch (to) {
    case DType::Float16:
      return &convert_float_to_half;
    case DType::BFloat16:
      return &convert_avx2<BFloat16, float>;
    case DType::Float64:
      return &convert_avx2<double, float>;
    default:
      return nullptr;
  }
}
#endif

}  // namespace

ConversionFunction find_conversion(DType to, DType from) {
  if (to == from) return find_move(item_size(to));
#if defined(__x86_64__)
  if (kCpuLevel >= CpuLevel::Avx2) {
    if (const ConversionFunction found = find_avx2_conversion(to, from)) return found;
  }
#endif
  return for_dtype(to, "conversion", [&]<typename To>() {
    return for_dtype(from, "conversion",
                     []<typename From>() -> ConversionFunction { return &convert<To, From>; });
  });
}

}  // namespace opwright
