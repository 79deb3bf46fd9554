// Mean and reciprocal standard deviation of dense elements.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "opwright/ops/reduction/moments.h"

namespace opwright {

template <class C>
struct RowStatistics {
  C mean;
  C reciprocal;  // of sqrt(variance + eps)
};

template <class C>
OPWRIGHT_INLINE RowStatistics<C> find_statistics(const C* elements, int64_t count, double eps) {
  constexpr int64_t kBlock = 2048;
  Moments<C> all{};
  for (int64_t at = 0; at < count; at += kBlock) {
    Moments<C> block;
    MomentLoops<Variance<C>, C>::run(block, elements + at, std::min(kBlock, count - at), at);
    all = at == 0 ? block : Variance<C>::merge(all, block);
  }
  const double variance = all.deviations / static_cast<double>(count);
  return {static_cast<C>(all.mean), static_cast<C>(1.0 / std::sqrt(variance + eps))};
}

}  // namespace opwright
