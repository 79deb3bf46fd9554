// Dot products, and a matrix times a vector.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/product/product.h"

namespace opwright {

// *sum = the sum of a[i] * b[i], both dense. Accumulates in parallel lanes so that the loop
// vectorizes.
template <class T>
struct DotLoop {
  OPWRIGHT_INLINE static void run(const T* a, const T* b, int64_t count, T* sum) {
    constexpr int64_t kLanes = 256 / static_cast<int64_t>(sizeof(T));
    std::array<T, static_cast<size_t>(kLanes)> sums{};
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane)
        sums[static_cast<size_t>(lane)] += a[i + lane] * b[i + lane];
    }
    for (int64_t width = kLanes / 2; width > 0; width /= 2) {
      for (int64_t lane = 0; lane < width; ++lane)
        sums[static_cast<size_t>(lane)] += sums[static_cast<size_t>(lane + width)];
    }
    T total = sums[0];
    for (; i < count; ++i) total += a[i] * b[i];
    *sum = total;
  }
};

// c[r] += factor[k] * a[k, r] over four dense lines of `a`.
template <class T>
struct AddLinesLoop {
  OPWRIGHT_INLINE static void run(const T* a, int64_t line, const T* factors, T* c, int64_t count) {
    const T f0 = factors[0];
    const T f1 = factors[1];
    const T f2 = factors[2];
    const T f3 = factors[3];
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t r = 0; r < count; ++r)
      c[r] += f0 * a[r] + f1 * a[line + r] + f2 * a[2 * line + r] + f3 * a[3 * line + r];
  }
};

// A floating-point product with one column; `c` may have any stride.
template <class T>
void multiply_vector(const MatrixProduct<T>& p) {
  if (p.a_row == 1 && p.c_row == 1 && p.rows > 1) {  // along the columns of a
    constexpr int64_t kBlock = 2048;
    for (int64_t first = 0; first < p.rows; first += kBlock) {
      const int64_t count = p.rows - first < kBlock ? p.rows - first : kBlock;
      T* c = p.c + first;
      for (int64_t r = 0; r < count; ++r) c[r] = T{};
      int64_t k = 0;
      for (; k + 4 <= p.depth; k += 4) {
        const std::array<T, 4> factors = {p.b[k * p.b_row], p.b[(k + 1) * p.b_row],
                                          p.b[(k + 2) * p.b_row], p.b[(k + 3) * p.b_row]};
        run_at_level<AddLinesLoop<T>>(p.a + first + k * p.a_column, p.a_column, factors.data(), c,
                                      count);
      }
      for (; k < p.depth; ++k) {
        const T factor = p.b[k * p.b_row];
        const T* line = p.a + first + k * p.a_column;
        for (int64_t r = 0; r < count; ++r) c[r] += factor * line[r];
      }
    }
    return;
  }
  for (int64_t r = 0; r < p.rows; ++r)
    p.c[r * p.c_row] =
        multiply_vectors(p.a + r * p.a_row, p.a_column, p.b, p.b_row, p.depth, false);
}

}  // namespace opwright
