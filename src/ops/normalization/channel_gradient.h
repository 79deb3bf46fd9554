// Gradient loops of group and batch norms over dense rows, one per batch element and channel.
#pragma once

#include <algorithm>
#include <cstdint>

#include "opwright/base/thread_pool.h"
#include "opwright/ops/engine/cpu/run_at_level.h"

namespace opwright {

inline constexpr int64_t kGradientGrain = 16384;  // elements

// Sums over one row.
struct RowSums {
  double of_gradient = 0;
  double of_product = 0;  // gradient times x - mean
};

// Blocks are summed in lanes of C, and the block sums in double.
template <class C>
struct SumGradientRow {
  OPWRIGHT_INLINE static void run(const C* gradient, const C* x, int64_t count, C mean,
                                  RowSums* sums) {
    constexpr int64_t kBlock = 1024;
    *sums = {};
    for (int64_t at = 0; at < count; at += kBlock)
      add_block(gradient + at, x + at, std::min(kBlock, count - at), mean, sums);
  }

 private:
  OPWRIGHT_INLINE static void add_block(const C* gradient, const C* x, int64_t count, C mean,
                                        RowSums* sums) {
    constexpr int64_t kLanes = 32;
    C gradients[kLanes] = {};
    C products[kLanes] = {};
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) {
        gradients[k] += gradient[i + k];
        products[k] += gradient[i + k] * (x[i + k] - mean);
      }
    }
    for (int64_t k = 0; i < count; ++i, ++k) {
      gradients[k] += gradient[i];
      products[k] += gradient[i] * (x[i] - mean);
    }
    for (int64_t k = 0; k < kLanes; ++k) {
      sums->of_gradient += static_cast<double>(gradients[k]);
      sums->of_product += static_cast<double>(products[k]);
    }
  }
};

// The sums of rows of `count`; row i has mean(i).
template <class C, class Mean>
void sum_gradient_rows(RowSums* sums, const C* gradient, const C* x, int64_t rows, int64_t count,
                       const Mean& mean) {
  const int64_t grain = std::max<int64_t>(1, kGradientGrain / std::max<int64_t>(1, count));
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      run_at_level<SumGradientRow<C>>(gradient + i * count, x + i * count, count, mean(i),
                                      sums + i);
  });
}

// gradient * scale + (x - mean) * slope + shift
template <class C>
struct GradientTerms {
  C mean, scale, slope, shift;
};

template <class C>
struct GradientRow {
  OPWRIGHT_INLINE static void run(C* out, const C* gradient, const C* x, int64_t count,
                                  GradientTerms<C> terms) {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < count; ++i)
      out[i] = gradient[i] * terms.scale + (x[i] - terms.mean) * terms.slope + terms.shift;
  }
};

// Rows of `count`; row i has terms(i).
template <class C, class Terms>
void compute_gradient_rows(C* out, const C* gradient, const C* x, int64_t rows, int64_t count,
                           const Terms& terms) {
  const int64_t grain = std::max<int64_t>(1, kGradientGrain / std::max<int64_t>(1, count));
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      run_at_level<GradientRow<C>>(out + i * count, gradient + i * count, x + i * count, count,
                                   terms(i));
  });
}

}  // namespace opwright
