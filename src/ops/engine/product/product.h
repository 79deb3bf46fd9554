// Matrix products in memory, as computed by mm, bmm, mv, dot and related operators.
#pragma once

#include <cstdint>
#include <type_traits>

#include "opwright/ops/engine/cpu/numbers.h"

namespace opwright {

// c = a * b; halves are summed in float32, and so is their `c`. Strides are in elements and may be
// 0 or negative; elements of `c` must not overlap, and its columns are dense. `c` does not overlap
// the factors.
template <class T>
struct MatrixProduct {
  int64_t rows, depth, columns;
  const T* a;
  int64_t a_row, a_column;
  const T* b;
  int64_t b_row, b_column;
  ComputeType<T>* c;
  int64_t c_row;
};

// The same product of a matrix and a vector, or of a vector and a matrix, the other way round.
template <class T>
MatrixProduct<T> transposed(const MatrixProduct<T>& p) {
  const int64_t c_row = p.columns == 1 ? p.rows : 1;
  return {p.columns, p.depth,    p.rows,  p.b, p.b_column, p.b_row,
          p.a,       p.a_column, p.a_row, p.c, c_row};
}

// Whether T is multiplied in vector tiles of its own (float_product.cpp).
template <class T>
inline constexpr bool kHasTiles = std::is_same_v<T, float> || std::is_same_v<T, double>;
// Whether T is multiplied one by one (plain_product.cpp): an int, which wraps around, or complex.
template <class T>
inline constexpr bool kIsPlain = !kHasTiles<T> && !kIsHalf<T>;

// How a product is computed, which decides the order of its sums. Threads compute parts of a
// product in the form of the whole, so that results do not depend on the number of threads.
enum class ProductForm : unsigned char { Empty, Tiny, Vector, Lines, Direct, Packed };
template <class T>
  requires kHasTiles<T>
[[nodiscard]] ProductForm form_of(const MatrixProduct<T>& product);
template <class T>
  requires kIsHalf<T>
[[nodiscard]] ProductForm form_of(const MatrixProduct<T>& product);  // half_product.cpp

// Computes a product, or a part of a product of this form, on this thread. T is any number type but
// bool.
template <class T>
  requires kHasTiles<T>
void multiply_matrices(const MatrixProduct<T>& product, ProductForm form);
template <class T>
  requires kIsHalf<T>
void multiply_matrices(const MatrixProduct<T>& product, ProductForm form);  // half_product.cpp
template <class T>
  requires kIsPlain<T>
void multiply_matrices(const MatrixProduct<T>& product);

// `batch` products on the thread pool; consecutive matrices are `a_batch`, `b_batch`, `c_batch`
// elements apart.
template <class T>
void multiply_batch(const MatrixProduct<T>& first, int64_t batch, int64_t a_batch, int64_t b_batch,
                    int64_t c_batch);

// The sum of a[i] * b[i], with complex `a` conjugated if `conjugates`. T is not a half.
template <class T>
  requires kHasTiles<T>
[[nodiscard]] T multiply_vectors(const T* a, int64_t a_step, const T* b, int64_t b_step,
                                 int64_t count, bool conjugates);
template <class T>
  requires kIsPlain<T>
[[nodiscard]] T multiply_vectors(const T* a, int64_t a_step, const T* b, int64_t b_step,
                                 int64_t count, bool conjugates);

}  // namespace opwright
