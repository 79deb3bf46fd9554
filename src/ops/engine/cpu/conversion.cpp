#include "opwright/ops/engine/cpu/conversion.h"

#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/engine/cpu/float8_conversion.h"
#include "opwright/ops/engine/cpu/moved_item.h"
#include "opwright/ops/engine/cpu/numbers.h"

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
void convert_elements(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride,
                      int64_t count) {
  if (to_stride == sizeof(To) && from_stride == sizeof(From))
    return convert_dense<To, From>(to, from, count);
  if (to_stride == sizeof(To) && from_stride == 0 && count > 0) {
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

// Elements of equal dtype are moved as items of their size.
template <class Item>
void move(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride,
          int64_t count) {
  if (to_stride == sizeof(Item) && from_stride == sizeof(Item)) {
    if (to != from) std::memcpy(to, from, static_cast<size_t>(count) * sizeof(Item));
    return;
  }
  convert_elements<Item, Item>(to, to_stride, from, from_stride, count);
}

ConversionFunction find_move(size_t bytes) {
  return for_item_size(bytes, []<typename Item>() -> ConversionFunction { return &move<Item>; });
}

#if defined(__x86_64__)
// The code the compiler generates for convert_dense with wider registers.
template <class To, class From>
OPWRIGHT_AVX2 void convert_avx2(std::byte* to, int64_t to_stride, const std::byte* from,
                                int64_t from_stride, int64_t count) {
  if (to_stride == sizeof(To) && from_stride == sizeof(From))
    return convert_dense<To, From>(to, from, count);
  convert_elements<To, From>(to, to_stride, from, from_stride, count);
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
  convert_elements<float, Half>(to + i * to_stride, to_stride, from + i * from_stride, from_stride,
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
  convert_elements<Half, float>(to + i * to_stride, to_stride, from + i * from_stride, from_stride,
                                count - i);
}

OPWRIGHT_AVX2 void convert_bfloat_to_float(std::byte* to, int64_t to_stride, const std::byte* from,
                                           int64_t from_stride, int64_t count) {
  int64_t i = 0;
  if (to_stride == sizeof(float) && from_stride == sizeof(BFloat16)) {
    for (; i + 8 <= count; i += 8) {
      const auto* source = reinterpret_cast<const __m128i*>(from + i * from_stride);
      const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(source));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i * to_stride),
                          _mm256_slli_epi32(wide, 16));
    }
  }
  convert_elements<float, BFloat16>(to + i * to_stride, to_stride, from + i * from_stride,
                                    from_stride, count - i);
}

// Rounds to nearest, ties to even, like BFloat16 itself.
OPWRIGHT_AVX2 OPWRIGHT_INLINE __m256i round_to_bfloat(const std::byte* from) {
  const __m256i word = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  const __m256 value = _mm256_castsi256_ps(word);
  const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(word, 16), _mm256_set1_epi32(1));
  const __m256i sum = _mm256_add_epi32(word, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
  const __m256i quiet = _mm256_or_si256(word, _mm256_set1_epi32(0x400000));
  return _mm256_srli_epi32(_mm256_blendv_epi8(sum, quiet, is_nan), 16);
}

OPWRIGHT_AVX2 void convert_float_to_bfloat(std::byte* to, int64_t to_stride, const std::byte* from,
                                           int64_t from_stride, int64_t count) {
  int64_t i = 0;
  if (to_stride == sizeof(BFloat16) && from_stride == sizeof(float)) {
    for (; i + 16 <= count; i += 16) {
      const std::byte* source = from + i * from_stride;
      const __m256i mixed =
          _mm256_packus_epi32(round_to_bfloat(source), round_to_bfloat(source + 32));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i * to_stride),
                          _mm256_permute4x64_epi64(mixed, 0b11011000));
    }
  }
  convert_elements<BFloat16, float>(to + i * to_stride, to_stride, from + i * from_stride,
                                    from_stride, count - i);
}

// The frequent pairs.
ConversionFunction find_avx2_conversion(DType to, DType from) {
  if (to == DType::Float32) {
    switch (from) {
      case DType::Float16:
        return &convert_half_to_float;
      case DType::BFloat16:
        return &convert_bfloat_to_float;
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
      return &convert_float_to_bfloat;
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
  if (is_float8(to) || is_float8(from)) return find_float8_conversion(to, from);
#if defined(__x86_64__)
  if (kCpuLevel >= CpuLevel::Avx2) {
    if (const ConversionFunction found = find_avx2_conversion(to, from)) return found;
  }
#endif
  return for_dtype(to, "conversion", [&]<typename To>() {
    return for_dtype(from, "conversion", []<typename From>() -> ConversionFunction {
      return &convert_elements<To, From>;
    });
  });
}

}  // namespace opwright
