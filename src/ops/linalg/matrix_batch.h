// What the kernels of linear algebra share: checks, column-major results, loops over batches of
// matrices, and errors of single matrices.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/complex.h"
#include "opwright/dtype.h"
#include "opwright/fake_tensor.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/linalg/lapack.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"

namespace opwright {

// float32, float64, complex64, complex128
template <class Body>
void for_lapack_dtype(DType dtype, const char* who, const Body& body) {
  for_inexact_dtype(dtype, who, [&]<typename T>() {
    if constexpr (kIsHalf<T>)
      throw_dtype(dtype, who, "float32, float64, complex64 and complex128");
    else
      body.template operator()<T>();
  });
}
void check_lapack_dtype(const char* who, DType dtype);

template <class T>
struct RealOf {
  using Type = T;
};
template <class T>
struct RealOf<Complex<T>> {
  using Type = T;
};
template <class T>
using Real = typename RealOf<T>::Type;

template <class T>
constexpr T conjugate_number(T x) {
  if constexpr (kIsComplex<T>)
    return T(x.real, -x.imag);
  else
    return x;
}
template <class T>
constexpr Real<T> real_number(T x) {
  if constexpr (kIsComplex<T>)
    return x.real;
  else
    return x;
}

// RuntimeError unless the tensor has matrices of a LAPACK dtype, and square ones.
void check_matrices(const char* who, const char* name, const Tensor& tensor);
void check_square_matrices(const char* who, const char* name, const Tensor& tensor);
void check_same_dtype(const char* who, const char* name, const Tensor& tensor,
                      const char* other_name, const Tensor& other);

// All sizes but the last `drop`.
[[nodiscard]] SymSizes batch_sizes_of(const Tensor& tensor, int64_t drop = 2);
[[nodiscard]] Sizes plain_sizes(std::span<const SymInt> sizes);
// The sizes, followed by one or two more.
[[nodiscard]] SymSizes with_sizes(SymSizes batch, std::initializer_list<SymInt> sizes);

// Matrices with dense columns, uninitialised; fake on the device of `like`.
[[nodiscard]] Tensor make_column_major(std::span<const SymInt> sizes, DType dtype);
[[nodiscard]] FakeTensor make_fake_column_major(const FakeTensor& like,
                                                std::span<const SymInt> sizes, DType dtype);
// A copy broadcast to the sizes.
[[nodiscard]] Tensor copy_column_major(const Tensor& tensor);
[[nodiscard]] Tensor copy_column_major(const Tensor& tensor, std::span<const SymInt> sizes);
[[nodiscard]] Tensor make_rows(std::span<const SymInt> sizes, DType dtype);

// The number of matrices.
[[nodiscard]] int64_t count_matrices(const Tensor& tensor, int64_t drop = 2);

// Calls body(begin, end) for the matrices of a batch on all threads; `work` is the number of
// operations for one. LAPACK's own threads compute a single matrix.
template <class Body>
void for_each_matrix(int64_t count, int64_t work, const Body& body) {
  constexpr int64_t kWork = 32768;
  const LapackThreads threads(count == 1 ? num_threads() : 1);
  parallel_for(count, std::max<int64_t>(1, kWork / std::max<int64_t>(work, 1)), body);
}

// The matrix of a smaller batch that each matrix of a broadcast batch uses.
[[nodiscard]] std::vector<int64_t> broadcast_places(std::span<const SymInt> from,
                                                    std::span<const SymInt> to);

// Which numbers LAPACK writes as pivots.
enum class PivotKind : uint8_t {
  Rows,       // of LU factors: the row that row i was swapped with, from 1
  SignedRows  // of LDL factors: negative in blocks of two rows
};
// The pivots of all matrices, one matrix after the other. Throws RuntimeError for a number that is
// not one of the `rows` rows of a matrix: LAPACK would use foreign memory.
[[nodiscard]] std::vector<int64_t> read_pivots(const char* who, const char* name,
                                               const Tensor& pivots, int64_t rows, PivotKind kind);

// Whether no element is NaN or infinite: LAPACK's iterative algorithms do not converge for those.
template <class T>
bool is_finite_matrix(const T* matrix, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (kIsComplex<T>) {
      if (!std::isfinite(matrix[i].real) || !std::isfinite(matrix[i].imag)) return false;
    } else if (!std::isfinite(matrix[i])) {
      return false;
    }
  }
  return true;
}
// The info of a matrix that is not finite.
inline constexpr int32_t kNotFinite = INT32_MAX;
// What check_info reports for an algorithm that did not converge; `values` names what it computes.
[[nodiscard]] std::string convergence_problem(int32_t info, const char* values);

// check_info throws LinAlgError for the first matrix whose info is positive, with its place in a
// batch. `problem(info)` returns a text.
[[noreturn]] void throw_matrix_error(const char* who, const Tensor& info, int64_t place,
                                     const std::string& problem);
template <class Problem>
void check_info(const char* who, const Tensor& info, const Problem& problem) {
  const auto* infos = info.data<int32_t>();
  for (int64_t i = 0; i < info.numel(); ++i) {
    if (infos[i] > 0) throw_matrix_error(who, info, i, problem(infos[i]));
  }
}

}  // namespace opwright
