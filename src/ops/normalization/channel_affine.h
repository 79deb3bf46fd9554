// (x - mean) * scale + shift per channel: the last step of group and batch norms.
#pragma once

#include <algorithm>
#include <cstdint>

#include "opwright/base/thread_pool.h"
#include "opwright/ops/engine/cpu/run_at_level.h"

namespace opwright {

template <class C>
struct ScaleAndShift {
  OPWRIGHT_INLINE static void run(C* out, const C* in, int64_t count, C mean, C scale, C shift) {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < count; ++i) out[i] = (in[i] - mean) * scale + shift;
  }
};

// Dense memory as [rows, count]; row i has coefficients(i): mean, scale and shift.
template <class C, class Coefficients>
void apply_to_rows(C* out, const C* in, int64_t rows, int64_t count,
                   const Coefficients& coefficients) {
  constexpr int64_t kGrain = 32768;  // elements
  if (count == 0) return;
  parallel_for(rows, std::max<int64_t>(1, kGrain / count), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto [mean, scale, shift] = coefficients(i);
      run_at_level<ScaleAndShift<C>>(out + i * count, in + i * count, count, mean, scale, shift);
    }
  });
}

}  // namespace opwright
