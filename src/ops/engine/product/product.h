// Products of matrices in memory: what mm, bmm, mv, dot and their relatives compute.
#pragma once

#include <cstdint>
#include <type_traits>

namespace opwright {

// c = a * b. Strides are in elements and may be 0 or negative, those of `c` must not let two
// elements meet; the columns of `c` are dense. `c` does not overlap the factors.
template <class T>
struct MatrixProduct {
  int64_t rows, depth, columns;
  const T* a;
  int64_t a_row, a_column;
  const T* b;
  int64_t b_row, b_column;
  T* c;
  int64_t c_row;
};

// Whether numbers are multiplied in tiles of vectors (float_product.cpp), else one by one
// (plain_product.cpp).
template <class T>
inline constexpr bool kHasTiles = std::is_same_v<T, float> || std::is_same_v<T, double>;

// On this thread. T is any number but bool and a half; ints wrap around.
template <class T>
  requires kHasTiles<T>
void multiply_matrices(const MatrixProduct<T>& product);
template <class T>
  requires(!kHasTiles<T>)
void multiply_matrices(const MatrixProduct<T>& product);

// `batch` products, the next one's matrices `a_batch`, `b_batch`, `c_batch` elements further, on
// the threads of the pool.
template <class T>
void multiply_batch(const MatrixProduct<T>& first, int64_t batch, int64_t a_batch, int64_t b_batch,
                    int64_t c_batch);

// The sum of a[i] * b[i], of complex numbers with the conjugate of `a` where `conjugates`.
template <class T>
  requires kHasTiles<T>
[[nodiscard]] T multiply_vectors(const T* a, int64_t a_step, const T* b, int64_t b_step,
                                 int64_t count, bool conjugates);
template <class T>
  requires(!kHasTiles<T>)
[[nodiscard]] T multiply_vectors(const T* a, int64_t a_step, const T* b, int64_t b_step,
                                 int64_t count, bool conjugates);

}  // namespace opwright
