// Products of ints, modulo 2^bits, and of complex numbers.
#include <algorithm>
#include <array>
#include <type_traits>

#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/product/product.h"
#include "opwright/ops/engine/product/product_threads.h"  // IWYU pragma: keep

namespace opwright {
namespace {

constexpr int64_t kTileRows = 4;
constexpr int64_t kTileColumns = 256;  // accumulators that fit in the L1 cache

template <class T>
using AccumulateType =
    typename std::conditional_t<kIsInt<T>,
                                std::type_identity<WrapType<std::conditional_t<kIsInt<T>, T, int>>>,
                                std::type_identity<T>>::type;

// sums[j] += factor * b[j]; `step` is a constant if rows are dense.
template <class T, class S>
void add_row(S* sums, S factor, const T* b, int64_t step, int64_t columns) {
  if (step == 1) {
    for (int64_t j = 0; j < columns; ++j) sums[j] = sums[j] + factor * static_cast<S>(b[j]);
  } else {
    for (int64_t j = 0; j < columns; ++j) sums[j] = sums[j] + factor * static_cast<S>(b[j * step]);
  }
}

}  // namespace

template <class T>
  requires kIsPlain<T>
void multiply_matrices(const MatrixProduct<T>& p) {
  using S = AccumulateType<T>;
  for (int64_t row = 0; row < p.rows; row += kTileRows) {
    const int64_t rows = std::min(kTileRows, p.rows - row);
    for (int64_t first = 0; first < p.columns; first += kTileColumns) {
      const int64_t columns = std::min(kTileColumns, p.columns - first);
      std::array<std::array<S, kTileColumns>, kTileRows> sums;
      for (int64_t r = 0; r < rows; ++r)
        std::fill_n(sums[static_cast<size_t>(r)].data(), columns, S{});
      for (int64_t k = 0; k < p.depth; ++k) {
        const T* b = p.b + k * p.b_row + first * p.b_column;
        for (int64_t r = 0; r < rows; ++r) {
          // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, not a character
          const S factor = static_cast<S>(p.a[(row + r) * p.a_row + k * p.a_column]);
          add_row(sums[static_cast<size_t>(r)].data(), factor, b, p.b_column, columns);
        }
      }
      for (int64_t r = 0; r < rows; ++r) {
        const S* sum = sums[static_cast<size_t>(r)].data();
        T* c = p.c + (row + r) * p.c_row + first;
        for (int64_t j = 0; j < columns; ++j) c[j] = static_cast<T>(sum[j]);
      }
    }
  }
}

template <class T>
  requires kIsPlain<T>
T multiply_vectors(const T* a, int64_t a_step, const T* b, int64_t b_step, int64_t count,
                   [[maybe_unused]] bool conjugates) {
  using S = AccumulateType<T>;
  S sum{};
  for (int64_t i = 0; i < count; ++i) {
    S factor = static_cast<S>(a[i * a_step]);  // NOLINT(bugprone-signed-char-misuse)
    if constexpr (kIsComplex<T>) {
      if (conjugates) factor.imag = -factor.imag;
    }
    sum = sum + factor * static_cast<S>(b[i * b_step]);  // NOLINT(bugprone-signed-char-misuse)
  }
  return static_cast<T>(sum);
}

#define OPWRIGHT_PRODUCTS_OF(T)                                                              \
  template void multiply_matrices(const MatrixProduct<T>&);                                  \
  template void multiply_batch(const MatrixProduct<T>&, int64_t, int64_t, int64_t, int64_t); \
  template T multiply_vectors(const T*, int64_t, const T*, int64_t, int64_t, bool)
OPWRIGHT_PRODUCTS_OF(uint8_t);
OPWRIGHT_PRODUCTS_OF(int8_t);
OPWRIGHT_PRODUCTS_OF(uint16_t);
OPWRIGHT_PRODUCTS_OF(int16_t);
OPWRIGHT_PRODUCTS_OF(uint32_t);
OPWRIGHT_PRODUCTS_OF(int32_t);
OPWRIGHT_PRODUCTS_OF(uint64_t);
OPWRIGHT_PRODUCTS_OF(int64_t);
OPWRIGHT_PRODUCTS_OF(Complex<float>);
OPWRIGHT_PRODUCTS_OF(Complex<double>);
#undef OPWRIGHT_PRODUCTS_OF

}  // namespace opwright
