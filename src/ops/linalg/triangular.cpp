// linalg_solve_triangular: A X = B or X A = B with a triangular A, by BLAS.
#include <cstdint>
#include <vector>

#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/linalg/lapack.h"
#include "opwright/ops/linalg/matrix_batch.h"
#include "opwright/symbolic/shape_env/demand.h"

namespace opwright {
namespace {

constexpr const char* kTriangular = "linalg_solve_triangular";

SymSizes triangular_sizes(const Tensor& A, const Tensor& B, bool left) {
  check_square_matrices(kTriangular, "self", A);
  check_matrices(kTriangular, "B", B);
  check_same_dtype(kTriangular, "self", A, "B", B);
  const SymInt n = A.sym_size(-1);
  const SymInt rows = B.sym_size(left ? -2 : -1);
  OPWRIGHT_DEMAND(n == rows, kTriangular, ": self and B do not fit: self is ", n, " by ", n,
                  ", and B has ", rows, left ? " rows" : " columns");
  return with_sizes(broadcast_sizes(batch_sizes_of(A), batch_sizes_of(B), kTriangular),
                    {B.sym_size(-2), B.sym_size(-1)});
}

template <class T>
void solve_triangles(const Tensor& A, const Tensor& X, bool upper, bool left, bool unitriangular) {
  if (X.numel() == 0) return;
  int64_t n = A.size(-1);
  int64_t rows = X.size(-2);
  int64_t columns = X.size(-1);
  const int64_t each = rows * columns;
  const LapackRoutine trsm = find_lapack<T>("trsm");
  const std::vector<int64_t> places = broadcast_places(batch_sizes_of(A), batch_sizes_of(X));
  const T* matrices = A.data<T>();
  T* sides = X.mutable_data<T>();
  const T one(1);
  for_each_matrix(X.numel() / each, n * each, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      trsm(left ? "L" : "R", upper ? "U" : "L", "N", unitriangular ? "U" : "N", &rows, &columns,
           &one, matrices + places[static_cast<size_t>(i)] * n * n, &n, sides + i * each, &rows);
  });
}

}  // namespace

Tensor linalg_solve_triangular_cpu(const Tensor& self, const Tensor& B, bool upper, bool left,
                                   bool unitriangular) {
  Tensor X = copy_column_major(B, triangular_sizes(self, B, left));
  const Tensor A = copy_column_major(self);
  for_lapack_dtype(B.dtype(), kTriangular,
                   [&]<typename T>() { solve_triangles<T>(A, X, upper, left, unitriangular); });
  return X;
}
FakeTensor linalg_solve_triangular_fake(const FakeTensor& self, const FakeTensor& B, bool /*upper*/,
                                        bool left, bool /*unitriangular*/) {
  return make_fake_column_major(B, triangular_sizes(as_tensor(self), as_tensor(B), left),
                                B.dtype());
}

}  // namespace opwright
