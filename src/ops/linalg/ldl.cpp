// Factors of symmetric and Hermitian matrices by Bunch and Kaufman: linalg_ldl_factor_ex,
// linalg_ldl_factor and linalg_ldl_solve.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/linalg/lapack.h"
#include "opwright/ops/linalg/matrix_batch.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kLdlFactor = "linalg_ldl_factor_ex";
constexpr const char* kLdlSolve = "linalg_ldl_solve";

template <class T>
bool uses_hermitian_routine(bool hermitian) {
  return kIsComplex<T> && hermitian;
}

struct LdlFactors {
  Tensor ld, pivots, info;
};

// Factors the lower triangles in place; what is above them becomes zeros.
template <class T>
void factor_symmetric(const LdlFactors& factors, bool hermitian) {
  int64_t n = factors.ld.size(-1);
  auto* infos = factors.info.mutable_data<int32_t>();
  std::fill(infos, infos + factors.info.numel(), 0);
  if (factors.ld.numel() == 0) return;
  const LapackRoutine factor =
      find_lapack<T>(uses_hermitian_routine<T>(hermitian) ? "hetrf" : "sytrf");
  T* matrices = factors.ld.mutable_data<T>();
  auto* pivots = factors.pivots.mutable_data<int32_t>();
  T best{};
  int64_t query = -1;
  int64_t outcome = 0;
  int64_t unused = 0;
  factor("L", &n, matrices, &n, &unused, &best, &query, &outcome);
  const int64_t length = std::max<int64_t>(n, static_cast<int64_t>(real_number(best)));
  for_each_matrix(factors.info.numel(), n * n * n, [&](int64_t begin, int64_t end) {
    std::vector<T> work(static_cast<size_t>(length));
    std::vector<int64_t> rows(static_cast<size_t>(n));
    int64_t room = length;
    for (int64_t i = begin; i < end; ++i) {
      T* matrix = matrices + i * n * n;
      int64_t info = 0;
      factor("L", &n, matrix, &n, rows.data(), work.data(), &room, &info);
      infos[i] = static_cast<int32_t>(lapack_int(info));
      for (int64_t j = 0; j < n; ++j) {
        pivots[i * n + j] = static_cast<int32_t>(read_lapack_int(rows.data(), j));
        std::fill(matrix + j * n, matrix + j * n + j, T(0));
      }
    }
  });
}

SymSizes ldl_solution_sizes(const Tensor& ld, const Tensor& pivots, const Tensor& B) {
  check_square_matrices(kLdlSolve, "LD", ld);
  check_matrices(kLdlSolve, "B", B);
  check_same_dtype(kLdlSolve, "LD", ld, "B", B);
  OPWRIGHT_CHECK(pivots.dtype() == DType::Int32, kLdlSolve,
                 ": pivots must be a tensor of int32 from linalg_ldl_factor, got ", pivots.dtype());
  OPWRIGHT_DEMAND(have_same_sizes(sym_geometry_of(pivots).sizes, batch_sizes_of(ld, 1)), kLdlSolve,
                  ": pivots must have the sizes of LD without the last one, got ", pivots, " and ",
                  ld);
  const SymInt n = ld.sym_size(-1);
  const SymInt rows = B.sym_size(-2);
  OPWRIGHT_DEMAND(n == rows, kLdlSolve, ": LD and B do not fit: LD is ", n, " by ", n,
                  ", and B has ", rows, " rows");
  return with_sizes(broadcast_sizes(batch_sizes_of(ld), batch_sizes_of(B), kLdlSolve),
                    {rows, B.sym_size(-1)});
}

// LAPACK reads a block of two rows at a negative pivot: the next one must be negative too.
void check_blocks(const std::vector<int64_t>& pivots, int64_t n) {
  const auto rows = static_cast<size_t>(n);
  for (size_t i = 0; i < pivots.size(); ++i) {
    if (pivots[i] > 0) continue;
    OPWRIGHT_CHECK((i + 1) % rows != 0 && pivots[i + 1] < 0, kLdlSolve,
                   ": negative pivots must come in pairs, got ", pivots[i], " alone at index ",
                   i % rows);
    ++i;
  }
}

template <class T>
void solve_symmetric(const Tensor& ld, const Tensor& pivots, const Tensor& X, bool hermitian) {
  if (X.numel() == 0) return;
  int64_t n = X.size(-2);
  int64_t columns = X.size(-1);
  const int64_t each = n * columns;
  const LapackRoutine solve =
      find_lapack<T>(uses_hermitian_routine<T>(hermitian) ? "hetrs" : "sytrs");
  const std::vector<int64_t> places = broadcast_places(batch_sizes_of(ld), batch_sizes_of(X));
  const std::vector<int64_t> rows =
      read_pivots(kLdlSolve, "pivots", pivots, n, PivotKind::SignedRows);
  check_blocks(rows, n);
  const T* matrices = ld.data<T>();
  T* sides = X.mutable_data<T>();
  for_each_matrix(X.numel() / each, n * each, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> swaps(static_cast<size_t>(n));
    for (int64_t i = begin; i < end; ++i) {
      const int64_t place = places[static_cast<size_t>(i)];
      for (int64_t j = 0; j < n; ++j)
        write_lapack_int(swaps.data(), j, rows[static_cast<size_t>(place * n + j)]);
      int64_t info = 0;
      solve("L", &n, &columns, matrices + place * n * n, &n, swaps.data(), sides + i * each, &n,
            &info);
    }
  });
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex_cpu(const Tensor& self, bool hermitian,
                                                            bool check_errors) {
  check_square_matrices(kLdlFactor, "self", self);
  LdlFactors factors{copy_column_major(self), make_rows(batch_sizes_of(self, 1), DType::Int32),
                     make_rows(batch_sizes_of(self), DType::Int32)};
  for_lapack_dtype(self.dtype(), kLdlFactor,
                   [&]<typename T>() { factor_symmetric<T>(factors, hermitian); });
  if (check_errors) {
    check_info("linalg_ldl_factor", factors.info, [](int32_t place) {
      return concatenate("D[", place, ",", place,
                         "] is zero and using it on ldl_solve would result in a division by zero; "
                         "use linalg_ldl_factor_ex(check_errors=False) to get the factors");
    });
  }
  return {std::move(factors.ld), std::move(factors.pivots), std::move(factors.info)};
}
std::tuple<FakeTensor, FakeTensor, FakeTensor> linalg_ldl_factor_ex_fake(const FakeTensor& self,
                                                                         bool /*hermitian*/,
                                                                         bool /*check_errors*/) {
  const Tensor& tensor = as_tensor(self);
  check_square_matrices(kLdlFactor, "self", tensor);
  return {make_fake_column_major(self, sym_geometry_of(tensor).sizes, self.dtype()),
          make_fake_like(self, batch_sizes_of(tensor, 1), DType::Int32),
          make_fake_like(self, batch_sizes_of(tensor), DType::Int32)};
}

std::tuple<Tensor, Tensor> linalg_ldl_factor_composite(const Tensor& self, bool hermitian) {
  auto [ld, pivots, info] = linalg_ldl_factor_ex(self, hermitian, true);
  return {std::move(ld), std::move(pivots)};
}

Tensor linalg_ldl_solve_cpu(const Tensor& ld, const Tensor& pivots, const Tensor& B,
                            bool hermitian) {
  Tensor X = copy_column_major(B, ldl_solution_sizes(ld, pivots, B));
  const Tensor factors = copy_column_major(ld);
  for_lapack_dtype(B.dtype(), kLdlSolve,
                   [&]<typename T>() { solve_symmetric<T>(factors, pivots, X, hermitian); });
  return X;
}
FakeTensor linalg_ldl_solve_fake(const FakeTensor& ld, const FakeTensor& pivots,
                                 const FakeTensor& B, bool /*hermitian*/) {
  return make_fake_column_major(
      B, ldl_solution_sizes(as_tensor(ld), as_tensor(pivots), as_tensor(B)), B.dtype());
}

}  // namespace opwright
