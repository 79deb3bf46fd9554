#include "opwright/ops/engine/product/half_dot.h"

#include <algorithm>
#include <array>
#include <cstddef>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "opwright/ops/engine/cpu/conversion.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/product/bfloat16_pair.h"
#include "opwright/ops/engine/product/vector_product.h"

namespace opwright {
namespace {

template <class T>
float sum_converted(const T* a, const T* b, int64_t count) {
  static const ConversionFunction kWiden = find_conversion(DType::Float32, dtype_of<T>());
  constexpr int64_t kChunk = 512;
  std::array<float, kChunk> left;
  std::array<float, kChunk> right;
  const auto widen = [](std::array<float, kChunk>& to, const T* from, int64_t length) {
    kWiden(reinterpret_cast<std::byte*>(to.data()), sizeof(float),
           reinterpret_cast<const std::byte*>(from), sizeof(T), length);
  };
  float sum = 0;
  for (int64_t i = 0; i < count; i += kChunk) {
    const int64_t length = std::min(kChunk, count - i);
    widen(left, a + i, length);
    widen(right, b + i, length);
    float part = 0;
    run_at_level<DotLoop<float>>(left.data(), right.data(), length, &part);
    sum += part;
  }
  return sum;
}

#if defined(__x86_64__)

constexpr size_t kLanes = 16;   // of a vector of sums
constexpr int64_t kAtOnce = 4;  // vectors of sums

OPWRIGHT_AVX512 float total(const __m512* sums) {
  std::array<float, kLanes> parts;
  _mm512_storeu_ps(parts.data(),
                   _mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])));
  for (size_t width = kLanes / 2; width > 0; width /= 2) {
    for (size_t lane = 0; lane < width; ++lane) parts[lane] += parts[lane + width];
  }
  return parts[0];
}

// The elements from `first` on, at most a vector of `lanes`, as a mask.
uint32_t mask_of_rest(int64_t first, int64_t count, int64_t lanes) {
  const int64_t left = std::min(lanes, count - first);
  return static_cast<uint32_t>((uint64_t{1} << left) - 1);
}

OPWRIGHT_AVX512 float sum_at_avx512(const Half* a, const Half* b, int64_t count) {
  constexpr int64_t kStep = kLanes;
  __m512 sums[kAtOnce];  // NOLINT(modernize-avoid-c-arrays): stays in registers
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  int64_t i = 0;
  for (; i + kAtOnce * kStep <= count; i += kAtOnce * kStep) {
    for (int64_t v = 0; v < kAtOnce; ++v) {
      const auto* left = reinterpret_cast<const __m256i*>(a + i + v * kStep);
      const auto* right = reinterpret_cast<const __m256i*>(b + i + v * kStep);
      sums[v] = _mm512_fmadd_ps(_mm512_cvtph_ps(_mm256_loadu_si256(left)),
                                _mm512_cvtph_ps(_mm256_loadu_si256(right)), sums[v]);
    }
  }
  for (; i < count; i += kStep) {
    const auto mask = static_cast<__mmask16>(mask_of_rest(i, count, kStep));
    sums[0] = _mm512_fmadd_ps(_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, a + i)),
                              _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, b + i)), sums[0]);
  }
  return total(sums);
}

OPWRIGHT_AVX512_BF16 float sum_in_pairs(const BFloat16* a, const BFloat16* b, int64_t count) {
  constexpr int64_t kStep = 2 * kLanes;
  __m512 sums[kAtOnce];  // NOLINT(modernize-avoid-c-arrays): stays in registers
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  int64_t i = 0;
  for (; i + kAtOnce * kStep <= count; i += kAtOnce * kStep) {
    for (int64_t v = 0; v < kAtOnce; ++v) {
      const __m512i left = _mm512_loadu_si512(a + i + v * kStep);
      const __m512i right = _mm512_loadu_si512(b + i + v * kStep);
      sums[v] = _mm512_dpbf16_ps(sums[v], reinterpret_cast<__m512bh>(left),
                                 reinterpret_cast<__m512bh>(right));
    }
  }
  for (; i < count; i += kStep) {
    const __mmask32 mask = mask_of_rest(i, count, kStep);
    const __m512i left = _mm512_maskz_loadu_epi16(mask, a + i);
    const __m512i right = _mm512_maskz_loadu_epi16(mask, b + i);
    sums[0] = _mm512_dpbf16_ps(sums[0], reinterpret_cast<__m512bh>(left),
                               reinterpret_cast<__m512bh>(right));
  }
  return total(sums);
}

#endif

}  // namespace

template <>
float multiply_dense_halves(const Half* a, const Half* b, int64_t count) {
#if defined(__x86_64__)
  if (kCpuLevel == CpuLevel::Avx512) return sum_at_avx512(a, b, count);
#endif
  return sum_converted(a, b, count);
}

template <>
float multiply_dense_halves(const BFloat16* a, const BFloat16* b, int64_t count) {
#if defined(__x86_64__)
  if (has_bfloat16_pairs()) return sum_in_pairs(a, b, count);
#endif
  return sum_converted(a, b, count);
}

}  // namespace opwright
