// linalg_cholesky_ex, cholesky_solve and cholesky_inverse.
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/linalg/lapack.h"
#include "opwright/ops/linalg/matrix_batch.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kCholesky = "linalg_cholesky";

const char* triangle_name(bool upper) { return upper ? "U" : "L"; }

// Sets the other triangle of a column-major matrix: to zeros, or to the mirror image.
template <class T>
void fill_triangle(T* matrix, int64_t n, bool upper, bool mirrors) {
  for (int64_t column = 0; column < n; ++column) {
    const int64_t first = upper ? column + 1 : 0;
    const int64_t end = upper ? n : column;
    for (int64_t row = first; row < end; ++row)
      matrix[column * n + row] = mirrors ? conjugate_number(matrix[row * n + column]) : T(0);
  }
}

template <class T>
void factor_definite(const Tensor& L, const Tensor& info, bool upper) {
  int64_t n = L.size(-1);
  const LapackRoutine potrf = find_lapack<T>("potrf");
  T* matrices = L.mutable_data<T>();
  auto* infos = info.mutable_data<int32_t>();
  for_each_matrix(info.numel(), n * n * n, [&](int64_t begin, int64_t end) {
    int64_t leading = std::max<int64_t>(n, 1);
    for (int64_t i = begin; i < end; ++i) {
      int64_t outcome = 0;
      fill_triangle(matrices + i * n * n, n, upper, false);
      potrf(triangle_name(upper), &n, matrices + i * n * n, &leading, &outcome);
      infos[i] = static_cast<int32_t>(lapack_int(outcome));
    }
  });
}

SymSizes solution_sizes(const Tensor& self, const Tensor& input2) {
  constexpr const char* kWho = "cholesky_solve";
  check_matrices(kWho, "self", self);
  check_square_matrices(kWho, "input2", input2);
  check_same_dtype(kWho, "self", self, "input2", input2);
  const SymInt n = input2.sym_size(-1);
  const SymInt rows = self.sym_size(-2);
  OPWRIGHT_DEMAND(n == rows, kWho, ": self and input2 do not fit: input2 is ", n, " by ", n,
                  ", and self has ", rows, " rows");
  return with_sizes(broadcast_sizes(batch_sizes_of(self), batch_sizes_of(input2), kWho),
                    {rows, self.sym_size(-1)});
}

template <class T>
void solve_definite(const Tensor& factor, const Tensor& X, bool upper) {
  int64_t n = X.size(-2);
  int64_t columns = X.size(-1);
  const int64_t each = n * columns;
  if (X.numel() == 0) return;
  const LapackRoutine potrs = find_lapack<T>("potrs");
  const std::vector<int64_t> places = broadcast_places(batch_sizes_of(factor), batch_sizes_of(X));
  const T* matrices = factor.data<T>();
  T* sides = X.mutable_data<T>();
  for_each_matrix(X.numel() / each, n * each, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t info = 0;
      potrs(triangle_name(upper), &n, &columns, matrices + places[static_cast<size_t>(i)] * n * n,
            &n, sides + i * each, &n, &info);
    }
  });
}

template <class T>
void invert_definite(const Tensor& result, bool upper) {
  int64_t n = result.size(-1);
  if (n == 0) return;
  const LapackRoutine potri = find_lapack<T>("potri");
  T* matrices = result.mutable_data<T>();
  for_each_matrix(count_matrices(result), n * n * n, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t info = 0;
      potri(triangle_name(upper), &n, matrices + i * n * n, &n, &info);
      info = lapack_int(info);
      if (info > 0)
        throw_error("LinAlgError", "cholesky_inverse: the diagonal element ", info,
                    " is zero, the inversion could not be completed because the input matrix is "
                    "singular");
      fill_triangle(matrices + i * n * n, n, upper, true);
    }
  });
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_cholesky_ex_cpu(const Tensor& self, bool upper,
                                                  bool check_errors) {
  check_square_matrices(kCholesky, "self", self);
  Tensor L = copy_column_major(self);
  Tensor info = make_rows(batch_sizes_of(self), DType::Int32);
  for_lapack_dtype(self.dtype(), kCholesky,
                   [&]<typename T>() { factor_definite<T>(L, info, upper); });
  if (check_errors) {
    check_info(kCholesky, info, [](int32_t order) {
      return concatenate(
          "the factorization could not be completed because the input is not positive-definite "
          "(the leading minor of order ",
          order, " is not positive-definite)");
    });
  }
  return {std::move(L), std::move(info)};
}
std::tuple<FakeTensor, FakeTensor> linalg_cholesky_ex_fake(const FakeTensor& self, bool /*upper*/,
                                                           bool /*check_errors*/) {
  const Tensor& tensor = as_tensor(self);
  check_square_matrices(kCholesky, "self", tensor);
  return {make_fake_column_major(self, sym_geometry_of(tensor).sizes, self.dtype()),
          make_fake_like(self, batch_sizes_of(tensor), DType::Int32)};
}

Tensor cholesky_solve_cpu(const Tensor& self, const Tensor& input2, bool upper) {
  Tensor X = copy_column_major(self, solution_sizes(self, input2));
  const Tensor factor = copy_column_major(input2);
  for_lapack_dtype(self.dtype(), "cholesky_solve",
                   [&]<typename T>() { solve_definite<T>(factor, X, upper); });
  return X;
}
FakeTensor cholesky_solve_fake(const FakeTensor& self, const FakeTensor& input2, bool /*upper*/) {
  return make_fake_column_major(self, solution_sizes(as_tensor(self), as_tensor(input2)),
                                self.dtype());
}

Tensor cholesky_inverse_cpu(const Tensor& self, bool upper) {
  constexpr const char* kWho = "cholesky_inverse";
  check_square_matrices(kWho, "self", self);
  Tensor result = copy_column_major(self);
  for_lapack_dtype(self.dtype(), kWho, [&]<typename T>() { invert_definite<T>(result, upper); });
  return result;
}
FakeTensor cholesky_inverse_fake(const FakeTensor& self, bool /*upper*/) {
  const Tensor& tensor = as_tensor(self);
  check_square_matrices("cholesky_inverse", "self", tensor);
  return make_fake_column_major(self, sym_geometry_of(tensor).sizes, self.dtype());
}

}  // namespace opwright
