// The tile kernels of AVX512_BF16.
#include "opwright/ops/engine/product/tile_kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include "opwright/error.h"
#endif

#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/engine/product/bfloat16_pair.h"

namespace opwright {

bool has_bfloat16_pairs() {
#if defined(__x86_64__)
  static const bool is_supported = __builtin_cpu_supports("avx512bf16") != 0;
  return is_supported && kCpuLevel == CpuLevel::Avx512;
#else
  return false;
#endif
}

#if defined(__x86_64__)

namespace {

constexpr int64_t kPairLanes = 16;
constexpr int64_t kPairRows = 8;

using PairKernel = TileKernels<BFloat16Pair>::Function;

// A tile of kRows by 16 * kVectors sums, from packed panels.
template <int64_t kRows, int64_t kVectors>
OPWRIGHT_AVX512_BF16 void multiply_pairs(const Tile<BFloat16Pair>& tile) {
  const BFloat16Pair* a = tile.a;
  const BFloat16Pair* b = tile.b;
  __m512 sums[kRows][kVectors];  // NOLINT(modernize-avoid-c-arrays): stays in registers
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t v = 0; v < kVectors; ++v) sums[r][v] = _mm512_setzero_ps();
  }
  for (int64_t k = tile.depth; k > 0; --k) {
    __m512i right[kVectors];  // NOLINT(modernize-avoid-c-arrays)
    for (int64_t v = 0; v < kVectors; ++v) right[v] = _mm512_loadu_si512(b + v * kPairLanes);
    for (int64_t r = 0; r < kRows; ++r) {
      const __m512i factor = _mm512_set1_epi32(static_cast<int>(a[r]));
      for (int64_t v = 0; v < kVectors; ++v)
        sums[r][v] = _mm512_dpbf16_ps(sums[r][v], reinterpret_cast<__m512bh>(factor),
                                      reinterpret_cast<__m512bh>(right[v]));
    }
    a += kPairRows;
    b += tile.b_row;
  }
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t v = 0; v < kVectors; ++v) {
      float* target = tile.c + r * tile.c_row + v * kPairLanes;
      _mm512_storeu_ps(target,
                       tile.adds ? _mm512_add_ps(_mm512_loadu_ps(target), sums[r][v]) : sums[r][v]);
    }
  }
}

template <int64_t kRows>
constexpr std::array<PairKernel, 2> pair_kernels() {
  return {&multiply_pairs<kRows, 1>, &multiply_pairs<kRows, 2>};
}

}  // namespace

template <>
const TileKernels<BFloat16Pair>& tile_kernels() {
  static constexpr TileKernels<BFloat16Pair> kKernels = {
      .lanes = kPairLanes,
      .rows = {kPairRows, 4, 2, 1},
      .strided = {},
      .packed = {pair_kernels<kPairRows>(), pair_kernels<4>(), pair_kernels<2>(),
                 pair_kernels<1>()}};
  return kKernels;
}

#else

template <>
const TileKernels<BFloat16Pair>& tile_kernels() {
  OPWRIGHT_ASSERT(false, "no kernels for pairs of bfloat16 on this architecture");
}

#endif

}  // namespace opwright
