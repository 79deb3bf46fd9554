// Systems of equations and inverses by LU factors: _linalg_solve_ex, linalg_lu_solve,
// linalg_inv_ex.
#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/linalg/factors.h"
#include "opwright/ops/linalg/lapack.h"
#include "opwright/ops/linalg/matrix_batch.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The right-hand sides as matrices, and the result's batch.
struct Equations {
  bool is_vector;  // one right-hand side for each matrix, without a dimension of its own
  SymSizes batch;
  SymSizes sizes;  // of the result
};

// B of sizes [n], or A's sizes without the last one, is a vector.
bool has_vectors(const Tensor& A, const Tensor& B) {
  if (B.dim() == 1) return true;
  if (A.dim() - 1 != B.dim()) return false;
  const SymSizes expected = batch_sizes_of(A, 1);
  return guard_or_false(have_same_sizes(batch_sizes_of(B, 0), expected));
}

Equations read_equations(const char* who, const char* name, const Tensor& A, const Tensor& B,
                         bool left, bool may_be_vector) {
  check_square_matrices(who, name, A);
  check_same_dtype(who, name, A, "B", B);
  Equations equations{may_be_vector && has_vectors(A, B), {}, {}};
  OPWRIGHT_CHECK(B.dim() >= (equations.is_vector ? 1 : 2), who,
                 ": B must have at least 2 dimensions, got ", B.dim());
  OPWRIGHT_CHECK(left || !equations.is_vector, who,
                 ": B must be a matrix for left=False, got a vector");
  const SymInt n = A.sym_size(-1);
  const SymInt rows = B.sym_size(equations.is_vector || !left ? -1 : -2);
  OPWRIGHT_DEMAND(n == rows, who, ": ", name, " and B do not fit: ", name, " is ", n, " by ", n,
                  ", and B has ", rows, left ? " rows" : " columns");
  equations.batch =
      broadcast_sizes(batch_sizes_of(A), batch_sizes_of(B, equations.is_vector ? 1 : 2), who);
  equations.sizes = equations.is_vector
                        ? with_sizes(equations.batch, {n})
                        : with_sizes(equations.batch, {B.sym_size(-2), B.sym_size(-1)});
  return equations;
}

enum class Transposition : uint8_t { None, Transpose, Adjoint };

// Solves op(A) X = B in place: `X` is column-major [..., n, k], or the memory of its transpose;
// `to` is its batch.
template <class T>
void solve_matrices(const Tensor& lu, const std::vector<int64_t>& swaps, const Tensor& X,
                    const SymSizes& to, int64_t columns, Transposition transposition) {
  int64_t n = lu.size(-1);
  const int64_t each = n * columns;
  if (each == 0 || X.numel() == 0) return;
  const LapackRoutine getrs = find_lapack<T>("getrs");
  const SymSizes batch = batch_sizes_of(lu);
  const int64_t count = X.numel() / each;
  const std::vector<int64_t> places = broadcast_places(batch, to);
  const T* matrices = lu.data<T>();
  T* sides = X.mutable_data<T>();
  const char* mode = transposition == Transposition::None        ? "N"
                     : transposition == Transposition::Transpose ? "T"
                                                                 : "C";
  for_each_matrix(count, n * each, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> rows(static_cast<size_t>(n));
    int64_t width = columns;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t place = places[static_cast<size_t>(i)];
      for (int64_t j = 0; j < n; ++j)
        write_lapack_int(rows.data(), j, swaps[static_cast<size_t>(place * n + j)]);
      int64_t info = 0;
      getrs(mode, &n, &width, matrices + place * n * n, &n, rows.data(), sides + i * each, &n,
            &info);
    }
  });
}

template <class T>
void conjugate_in_place(const Tensor& tensor) {
  if constexpr (kIsComplex<T>) {
    T* numbers = tensor.mutable_data<T>();
    for (int64_t i = 0; i < tensor.numel(); ++i) numbers[i] = conjugate_number(numbers[i]);
  }
}

// X from the right, X op(A) = B, is the transpose of a solution from the left, and rows are the
// columns of a transpose. conj(A) has no mode: the conjugate system is solved.
Tensor solve_by_factors(const char* who, const LuFactors& factors, const Tensor& B,
                        const Equations& equations, bool left, bool adjoint) {
  const std::vector<int64_t> swaps =
      read_pivots(who, "pivots", factors.pivots, factors.lu.size(-1), PivotKind::Rows);
  const bool by_columns = left && !equations.is_vector;
  Tensor X =
      by_columns ? copy_column_major(B, equations.sizes) : make_rows(equations.sizes, B.dtype());
  if (!by_columns) copy_elements(X, B);
  const int64_t columns = equations.is_vector ? 1 : X.size(left ? -1 : -2);
  const auto mode = left && adjoint   ? Transposition::Adjoint
                    : left || adjoint ? Transposition::None
                                      : Transposition::Transpose;
  for_lapack_dtype(B.dtype(), who, [&]<typename T>() {
    if (!left && adjoint) conjugate_in_place<T>(X);
    solve_matrices<T>(factors.lu, swaps, X, equations.batch, columns, mode);
    if (!left && adjoint) conjugate_in_place<T>(X);
  });
  return X;
}

FakeTensor fake_solution(const FakeTensor& B, const Equations& equations, bool left) {
  return left && !equations.is_vector ? make_fake_column_major(B, equations.sizes, B.dtype())
                                      : make_fake_like(B, equations.sizes, B.dtype());
}

void check_pivots(const char* who, const Tensor& LU, const Tensor& pivots) {
  OPWRIGHT_CHECK(pivots.dtype() == DType::Int32, who, ": pivots must be a tensor of int32, got ",
                 pivots.dtype());
  const SymSizes wanted = batch_sizes_of(LU, 1);
  OPWRIGHT_DEMAND(have_same_sizes(batch_sizes_of(pivots, 0), wanted), who,
                  ": pivots must have the sizes of LU without the last, ", to_text(wanted),
                  ", got ", to_text(sym_geometry_of(pivots).sizes));
}

template <class T>
void invert_matrices(const LuFactors& factors) {
  int64_t n = factors.lu.size(-1);
  if (n == 0) return;
  const LapackRoutine getri = find_lapack<T>("getri");
  T* matrices = factors.lu.mutable_data<T>();
  const auto* swaps = factors.pivots.data<int32_t>();
  auto* infos = factors.info.mutable_data<int32_t>();
  T best{};
  int64_t length = -1;
  int64_t info = 0;
  getri(&n, matrices, &n, &info, &best, &length, &info);
  length = std::max(n, static_cast<int64_t>(real_number(best)));
  for_each_matrix(factors.info.numel(), n * n * n, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> rows(static_cast<size_t>(n));
    std::vector<T> work(static_cast<size_t>(length));
    int64_t room = length;
    for (int64_t i = begin; i < end; ++i) {
      if (infos[i] != 0) continue;
      for (int64_t j = 0; j < n; ++j) write_lapack_int(rows.data(), j, swaps[i * n + j]);
      int64_t outcome = 0;
      getri(&n, matrices + i * n * n, &n, rows.data(), work.data(), &room, &outcome);
      infos[i] = static_cast<int32_t>(lapack_int(outcome));
    }
  });
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_solve_cpu(const Tensor& A, const Tensor& B,
                                                            bool left, bool check_errors) {
  constexpr const char* kWho = "linalg_solve";
  const Equations equations = read_equations(kWho, "A", A, B, left, true);
  LuFactors factors = factor_lu(A);
  if (check_errors) {
    check_info(kWho, factors.info, [](int32_t /*place*/) {
      return std::string("the solver failed because the input matrix is singular");
    });
  }
  Tensor result = solve_by_factors(kWho, factors, B, equations, left, false);
  return {std::move(result), std::move(factors.lu), std::move(factors.pivots),
          std::move(factors.info)};
}
std::tuple<FakeTensor, FakeTensor, FakeTensor, FakeTensor> linalg_solve_fake(
    const FakeTensor& A, const FakeTensor& B, bool left, bool /*check_errors*/) {
  const Equations equations =
      read_equations("linalg_solve", "A", as_tensor(A), as_tensor(B), left, true);
  FakeLuFactors factors = fake_lu(A);
  return {fake_solution(B, equations, left), std::move(factors.lu), std::move(factors.pivots),
          std::move(factors.info)};
}

Tensor linalg_lu_solve_cpu(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left,
                           bool adjoint) {
  constexpr const char* kWho = "linalg_lu_solve";
  const Equations equations = read_equations(kWho, "LU", LU, B, left, false);
  check_pivots(kWho, LU, pivots);
  return solve_by_factors(kWho, {copy_column_major(LU), pivots, {}}, B, equations, left, adjoint);
}
FakeTensor linalg_lu_solve_fake(const FakeTensor& LU, const FakeTensor& pivots, const FakeTensor& B,
                                bool left, bool /*adjoint*/) {
  constexpr const char* kWho = "linalg_lu_solve";
  const Equations equations = read_equations(kWho, "LU", as_tensor(LU), as_tensor(B), left, false);
  check_pivots(kWho, as_tensor(LU), as_tensor(pivots));
  return fake_solution(B, equations, left);
}

std::tuple<Tensor, Tensor> linalg_inv_ex_cpu(const Tensor& A, bool check_errors) {
  constexpr const char* kWho = "linalg_inv";
  check_square_matrices(kWho, "A", A);
  LuFactors factors = factor_lu(A);
  for_lapack_dtype(A.dtype(), kWho, [&]<typename T>() { invert_matrices<T>(factors); });
  if (check_errors) {
    check_info(kWho, factors.info, [](int32_t place) {
      return concatenate("the diagonal element ", place,
                         " is zero, the inversion could not be completed because the input matrix "
                         "is singular");
    });
  }
  return {std::move(factors.lu), std::move(factors.info)};
}
std::tuple<FakeTensor, FakeTensor> linalg_inv_ex_fake(const FakeTensor& A, bool /*check_errors*/) {
  check_square_matrices("linalg_inv", "A", as_tensor(A));
  FakeLuFactors factors = fake_lu(A);
  return {std::move(factors.lu), std::move(factors.info)};
}

}  // namespace opwright
