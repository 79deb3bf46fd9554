#include "opwright/ops/engine/product/half_dot.h"

#include <algorithm>
#include <array>
#include <cstddef>
#if defined(__x86_64__)
#include <immintrin.h>

#include <bit>
#endif

#include "opwright/ops/engine/cpu/conversion.h"
#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
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

constexpr int64_t kHalfLanes = 32;  // of one vector
constexpr int64_t kAtOnce = 4;      // vectors

OPWRIGHT_AVX512_BF16 __m512 add_products(__m512 sum, __m512i a, __m512i b) {
  return _mm512_dpbf16_ps(sum, std::bit_cast<__m512bh>(a), std::bit_cast<__m512bh>(b));
}

OPWRIGHT_AVX512_BF16 float sum_by_instruction(const BFloat16* a, const BFloat16* b,
                                                   int64_t count) {
  __m512 sums[kAtOnce];  // NOLINT(modernize-avoid-c-arrays): stays in registers
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  int64_t i = 0;
  for (; i + kAtOnce * kHalfLanes <= count; i += kAtOnce * kHalfLanes) {
    for (int64_t v = 0; v < kAtOnce; ++v)
      sums[v] = add_products(sums[v], _mm512_loadu_si512(a + i + v * kHalfLanes),
                             _mm512_loadu_si512(b + i + v * kHalfLanes));
  }
  for (; i < count; i += kHalfLanes) {
    const int64_t left = std::min(kHalfLanes, count - i);
    const __mmask32 mask = left == kHalfLanes ? ~__mmask32{0} : (__mmask32{1} << left) - 1;
    sums[0] = add_products(sums[0], _mm512_maskz_loadu_epi16(mask, a + i),
                           _mm512_maskz_loadu_epi16(mask, b + i));
  }
  return _mm512_reduce_add_ps(
      _mm512_add_ps(_mm512_add_ps(sums[0], sums[1]), _mm512_add_ps(sums[2], sums[3])));
}

#endif

}  // namespace

template <>
float multiply_dense_halves(const Half* a, const Half* b, int64_t count) {
  return sum_converted(a, b, count);
}

template <>
float multiply_dense_halves(const BFloat16* a, const BFloat16* b, int64_t count) {
#if defined(__x86_64__)
  if (kHasBFloat16Products) return sum_by_instruction(a, b, count);
#endif
  return sum_converted(a, b, count);
}

}  // namespace opwright
