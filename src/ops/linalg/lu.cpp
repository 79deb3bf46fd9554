// LU factorizations: linalg_lu_factor_ex, lu_unpack, linalg_lu_solve, and the systems and
// determinants that use them.
#include <algorithm>
#include <cstdint>
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

constexpr const char* kLuUnpack = "lu_unpack";

SymInt smaller_size(const Tensor& A) { return sym_min(A.sym_size(-2), A.sym_size(-1)); }

template <class T>
void factor_matrices(const LuFactors& factors) {
  int64_t m = factors.lu.size(-2);
  int64_t n = factors.lu.size(-1);
  const int64_t k = std::min(m, n);
  const LapackRoutine getrf = find_lapack<T>("getrf");
  T* matrices = factors.lu.mutable_data<T>();
  auto* pivots = factors.pivots.mutable_data<int32_t>();
  auto* infos = factors.info.mutable_data<int32_t>();
  for_each_matrix(factors.info.numel(), m * n * k, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> rows(static_cast<size_t>(std::max<int64_t>(k, 1)));
    int64_t leading = std::max<int64_t>(m, 1);
    for (int64_t i = begin; i < end; ++i) {
      int64_t info = 0;
      getrf(&m, &n, matrices + i * m * n, &leading, rows.data(), &info);
      infos[i] = static_cast<int32_t>(lapack_int(info));
      for (int64_t j = 0; j < k; ++j)
        pivots[i * k + j] = static_cast<int32_t>(read_lapack_int(rows.data(), j));
    }
  });
}

void check_pivot(const char* who, bool pivot) {
  OPWRIGHT_CHECK(pivot, who, ": LU without pivoting is not implemented on the CPU; use pivot=True");
}

struct LuSizes {
  SymSizes batch;
  SymInt rows, columns, smaller;
};
LuSizes lu_unpack_sizes(const Tensor& LU, const Tensor& pivots, bool unpack_pivots) {
  check_matrices(kLuUnpack, "LU_data", LU);
  LuSizes sizes{batch_sizes_of(LU), LU.sym_size(-2), LU.sym_size(-1), smaller_size(LU)};
  if (!unpack_pivots) return sizes;
  OPWRIGHT_CHECK(pivots.dtype() == DType::Int32, kLuUnpack,
                 ": LU_pivots must be a tensor of int32, got ", pivots.dtype());
  const SymSizes wanted = with_sizes(sizes.batch, {sizes.smaller});
  const SymSizes given = sym_geometry_of(pivots).sizes;
  OPWRIGHT_DEMAND(have_same_sizes(given, wanted), kLuUnpack, ": LU_pivots must have the sizes ",
                  to_text(wanted), " for LU_data (", LU, "), got ", to_text(given));
  return sizes;
}

template <class T>
void permute_rows(const Tensor& pivots, const Tensor& P) {
  const int64_t m = P.size(-1);
  const int64_t k = pivots.size(-1);
  const std::vector<int64_t> swaps =
      read_pivots(kLuUnpack, "LU_pivots", pivots, m, PivotKind::Rows);
  T* out = P.mutable_data<T>();
  std::fill(out, out + P.numel(), T(0));
  std::vector<int64_t> rows(static_cast<size_t>(m));
  for (int64_t i = 0; i < count_matrices(P); ++i) {
    for (int64_t row = 0; row < m; ++row) rows[static_cast<size_t>(row)] = row;
    for (int64_t j = 0; j < k; ++j)
      std::swap(rows[static_cast<size_t>(j)],
                rows[static_cast<size_t>(swaps[static_cast<size_t>(i * k + j)] - 1)]);
    for (int64_t row = 0; row < m; ++row)
      out[(i * m + rows[static_cast<size_t>(row)]) * m + row] = T(1);
  }
}

// The parts below (with ones on the diagonal) and above.
template <class T>
void split_factors(const Tensor& LU, const Tensor& L, const Tensor& U) {
  const int64_t m = LU.size(-2);
  const int64_t n = LU.size(-1);
  const int64_t k = std::min(m, n);
  const Tensor dense = as_contiguous(LU);
  const T* in = dense.data<T>();
  T* lower = L.mutable_data<T>();
  T* upper = U.mutable_data<T>();
  for (int64_t i = 0; i < count_matrices(LU); ++i, in += m * n, lower += m * k, upper += k * n) {
    for (int64_t row = 0; row < m; ++row) {
      for (int64_t column = 0; column < k; ++column) {
        T& to = lower[row * k + column];
        to = row == column ? T(1) : row > column ? in[row * n + column] : T(0);
      }
    }
    for (int64_t row = 0; row < k; ++row) {
      for (int64_t column = 0; column < n; ++column)
        upper[row * n + column] = row <= column ? in[row * n + column] : T(0);
    }
  }
}

}  // namespace

LuFactors factor_lu(const Tensor& A) {
  LuFactors factors{copy_column_major(A),
                    make_rows(with_sizes(batch_sizes_of(A), {smaller_size(A)}), DType::Int32),
                    make_rows(batch_sizes_of(A), DType::Int32)};
  for_lapack_dtype(A.dtype(), "LU factorization",
                   [&]<typename T>() { factor_matrices<T>(factors); });
  return factors;
}
FakeLuFactors fake_lu(const FakeTensor& A) {
  const Tensor& tensor = as_tensor(A);
  const SymSizes batch = batch_sizes_of(tensor);
  return {make_fake_column_major(A, sym_geometry_of(tensor).sizes, A.dtype()),
          make_fake_like(A, with_sizes(batch, {smaller_size(tensor)}), DType::Int32),
          make_fake_like(A, batch, DType::Int32)};
}

std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex_cpu(const Tensor& A, bool pivot,
                                                           bool check_errors) {
  constexpr const char* kWho = "linalg_lu_factor_ex";
  check_matrices(kWho, "A", A);
  check_pivot(kWho, pivot);
  LuFactors factors = factor_lu(A);
  if (check_errors) {
    check_info("linalg_lu_factor", factors.info, [](int32_t place) {
      return concatenate("U[", place, ",", place,
                         "] is zero and using it on lu_solve would result in a division by zero; "
                         "use linalg_lu_factor_ex(check_errors=False) to get the factors");
    });
  }
  return {std::move(factors.lu), std::move(factors.pivots), std::move(factors.info)};
}
std::tuple<FakeTensor, FakeTensor, FakeTensor> linalg_lu_factor_ex_fake(const FakeTensor& A,
                                                                        bool pivot,
                                                                        bool /*check_errors*/) {
  constexpr const char* kWho = "linalg_lu_factor_ex";
  check_matrices(kWho, "A", as_tensor(A));
  check_pivot(kWho, pivot);
  FakeLuFactors factors = fake_lu(A);
  return {std::move(factors.lu), std::move(factors.pivots), std::move(factors.info)};
}

std::tuple<Tensor, Tensor, Tensor> lu_unpack_cpu(const Tensor& LU_data, const Tensor& LU_pivots,
                                                 bool unpack_data, bool unpack_pivots) {
  const LuSizes sizes = lu_unpack_sizes(LU_data, LU_pivots, unpack_pivots);
  const DType dtype = LU_data.dtype();
  const SymSizes none{SymInt(0)};
  Tensor P =
      make_rows(unpack_pivots ? with_sizes(sizes.batch, {sizes.rows, sizes.rows}) : none, dtype);
  Tensor L =
      make_rows(unpack_data ? with_sizes(sizes.batch, {sizes.rows, sizes.smaller}) : none, dtype);
  Tensor U = make_rows(unpack_data ? with_sizes(sizes.batch, {sizes.smaller, sizes.columns}) : none,
                       dtype);
  for_lapack_dtype(dtype, kLuUnpack, [&]<typename T>() {
    if (unpack_pivots) permute_rows<T>(LU_pivots, P);
    if (unpack_data) split_factors<T>(LU_data, L, U);
  });
  return {std::move(P), std::move(L), std::move(U)};
}
std::tuple<FakeTensor, FakeTensor, FakeTensor> lu_unpack_fake(const FakeTensor& LU_data,
                                                              const FakeTensor& LU_pivots,
                                                              bool unpack_data,
                                                              bool unpack_pivots) {
  const LuSizes sizes = lu_unpack_sizes(as_tensor(LU_data), as_tensor(LU_pivots), unpack_pivots);
  const DType dtype = LU_data.dtype();
  const SymSizes none{SymInt(0)};
  return {
      make_fake_like(
          LU_data, unpack_pivots ? with_sizes(sizes.batch, {sizes.rows, sizes.rows}) : none, dtype),
      make_fake_like(LU_data,
                     unpack_data ? with_sizes(sizes.batch, {sizes.rows, sizes.smaller}) : none,
                     dtype),
      make_fake_like(LU_data,
                     unpack_data ? with_sizes(sizes.batch, {sizes.smaller, sizes.columns}) : none,
                     dtype)};
}

}  // namespace opwright
