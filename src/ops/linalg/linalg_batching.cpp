// vmap rules of linear algebra: the operators take batches, so a rule moves the batch first.
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {
namespace {

using Pair = std::tuple<Tensor, Tensor>;
using Triple = std::tuple<Tensor, Tensor, Tensor>;
using Quadruple = std::tuple<Tensor, Tensor, Tensor, Tensor>;

// Factors and right-hand sides as batches whose other batch dimensions broadcast as in the samples;
// `is_vector` sides get a dimension of their own.
std::pair<Tensor, Tensor> align_sides(const VmapInfo& info, size_t factor_index,
                                      const Tensor& factor, size_t side_index, const Tensor& side,
                                      bool is_vector) {
  Tensor A = as_batch(info, factor_index, factor);
  Tensor B = as_batch(info, side_index, side);
  if (is_vector) B = B.unsqueeze(-1);
  while (A.dim() < B.dim()) A = A.unsqueeze(1);
  while (B.dim() < A.dim()) B = B.unsqueeze(1);
  return {A, B};
}

}  // namespace

VmapResult<Triple> linalg_lu_factor_ex_vmap(const VmapInfo& info, const Tensor& A, bool pivot,
                                            bool check_errors) {
  return batched(linalg_lu_factor_ex(batch_first(info, 0, A), pivot, check_errors));
}
VmapResult<Triple> lu_unpack_vmap(const VmapInfo& info, const Tensor& LU_data,
                                  const Tensor& LU_pivots, bool unpack_data, bool unpack_pivots) {
  auto [P, L, U] = lu_unpack(as_batch(info, 0, LU_data), as_batch(info, 1, LU_pivots), unpack_data,
                             unpack_pivots);
  const auto dim_of = [](bool is_there) {
    return is_there ? std::optional<int64_t>(0) : std::nullopt;
  };
  return {{std::move(P), std::move(L), std::move(U)},
          {dim_of(unpack_pivots), dim_of(unpack_data), dim_of(unpack_data)}};
}
VmapResult<Tensor> linalg_lu_solve_vmap(const VmapInfo& info, const Tensor& LU,
                                        const Tensor& pivots, const Tensor& B, bool left,
                                        bool adjoint) {
  const auto [factors, sides] = align_sides(info, 0, LU, 2, B, false);
  Tensor rows = as_batch(info, 1, pivots);
  while (rows.dim() < factors.dim() - 1) rows = rows.unsqueeze(1);
  return batched(linalg_lu_solve(factors, rows, sides, left, adjoint));
}
VmapResult<Pair> linalg_cholesky_ex_vmap(const VmapInfo& info, const Tensor& self, bool upper,
                                         bool check_errors) {
  return batched(linalg_cholesky_ex(batch_first(info, 0, self), upper, check_errors));
}
VmapResult<Tensor> cholesky_solve_vmap(const VmapInfo& info, const Tensor& self,
                                       const Tensor& input2, bool upper) {
  const auto [factors, sides] = align_sides(info, 1, input2, 0, self, false);
  return batched(cholesky_solve(sides, factors, upper));
}
VmapResult<Tensor> cholesky_inverse_vmap(const VmapInfo& info, const Tensor& self, bool upper) {
  return batched(cholesky_inverse(batch_first(info, 0, self), upper));
}
VmapResult<Pair> linalg_qr_vmap(const VmapInfo& info, const Tensor& A, std::string_view mode) {
  auto [Q, R] = linalg_qr(batch_first(info, 0, A), mode);
  if (mode != "r") return batched(Pair{std::move(Q), std::move(R)});
  return {{std::move(Q), std::move(R)}, {std::nullopt, 0}};
}
VmapResult<Pair> geqrf_vmap(const VmapInfo& info, const Tensor& self) {
  return batched(geqrf(batch_first(info, 0, self)));
}
VmapResult<Pair> linalg_eigh_vmap(const VmapInfo& info, const Tensor& A, std::string_view UPLO,
                                  bool compute_v) {
  auto [values, vectors] = _linalg_eigh(batch_first(info, 0, A), UPLO, compute_v);
  if (compute_v) return batched(Pair{std::move(values), std::move(vectors)});
  return {{std::move(values), std::move(vectors)}, {0, std::nullopt}};
}
VmapResult<Pair> linalg_eig_vmap(const VmapInfo& info, const Tensor& self) {
  return batched(linalg_eig(batch_first(info, 0, self)));
}
VmapResult<Tensor> linalg_eigvals_vmap(const VmapInfo& info, const Tensor& self) {
  return batched(_linalg_eigvals(batch_first(info, 0, self)));
}
VmapResult<Triple> linalg_svd_vmap(const VmapInfo& info, const Tensor& A, bool full_matrices,
                                   bool compute_uv, const std::optional<std::string_view>& driver) {
  auto [U, S, Vh] = _linalg_svd(batch_first(info, 0, A), full_matrices, compute_uv, driver);
  if (compute_uv) return batched(Triple{std::move(U), std::move(S), std::move(Vh)});
  return {{std::move(U), std::move(S), std::move(Vh)}, {std::nullopt, 0, std::nullopt}};
}
VmapResult<Tensor> linalg_solve_triangular_vmap(const VmapInfo& info, const Tensor& self,
                                                const Tensor& B, bool upper, bool left,
                                                bool unitriangular) {
  const auto [factors, sides] = align_sides(info, 0, self, 1, B, false);
  return batched(linalg_solve_triangular(factors, sides, upper, left, unitriangular));
}
VmapResult<Quadruple> linalg_solve_vmap(const VmapInfo& info, const Tensor& A, const Tensor& B,
                                        bool left, bool check_errors) {
  const int64_t ndim = sample_ndim(info, 1, B);
  bool is_vector = ndim == 1;
  if (!is_vector && ndim == sample_ndim(info, 0, A) - 1) {
    const SymSizes sizes = sample_sizes(as_batch(info, 0, A));
    is_vector = has_sizes(as_batch(info, 1, B),
                          with_batch(info.batch_size, std::span(sizes).first(sizes.size() - 1)));
  }
  const auto [factors, sides] = align_sides(info, 0, A, 1, B, is_vector);
  auto [X, LU, pivots, singular] = _linalg_solve_ex(factors, sides, left, check_errors);
  const auto ndim_of_A = static_cast<int64_t>(sample_ndim(info, 0, A));
  // Dimensions that only made A and B align are not in the sample's factors.
  while (LU.dim() > ndim_of_A + 1) {
    LU = LU.squeeze(1);
    pivots = pivots.squeeze(1);
    singular = singular.squeeze(1);
  }
  return batched(Quadruple{is_vector ? X.squeeze(-1) : X, std::move(LU), std::move(pivots),
                           std::move(singular)});
}
VmapResult<Pair> linalg_inv_ex_vmap(const VmapInfo& info, const Tensor& A, bool check_errors) {
  return batched(linalg_inv_ex(batch_first(info, 0, A), check_errors));
}
VmapResult<Triple> linalg_det_vmap(const VmapInfo& info, const Tensor& A) {
  return batched(_linalg_det(batch_first(info, 0, A)));
}
VmapResult<Quadruple> linalg_slogdet_vmap(const VmapInfo& info, const Tensor& A) {
  return batched(_linalg_slogdet(batch_first(info, 0, A)));
}

VmapResult<Tensor> linalg_matrix_exp_vmap(const VmapInfo& info, const Tensor& self) {
  return batched(linalg_matrix_exp(batch_first(info, 0, self)));
}
VmapResult<Triple> linalg_ldl_factor_ex_vmap(const VmapInfo& info, const Tensor& self,
                                             bool hermitian, bool check_errors) {
  return batched(linalg_ldl_factor_ex(batch_first(info, 0, self), hermitian, check_errors));
}
VmapResult<Tensor> linalg_ldl_solve_vmap(const VmapInfo& info, const Tensor& ld,
                                         const Tensor& pivots, const Tensor& B, bool hermitian) {
  const auto [factors, sides] = align_sides(info, 0, ld, 2, B, false);
  Tensor rows = as_batch(info, 1, pivots);
  while (rows.dim() < factors.dim() - 1) rows = rows.unsqueeze(1);
  return batched(linalg_ldl_solve(factors, rows, sides, hermitian));
}
VmapResult<Quadruple> linalg_lstsq_vmap(const VmapInfo& info, const Tensor& self, const Tensor& b,
                                        const std::optional<double>& rcond,
                                        const std::optional<std::string_view>& driver) {
  auto [solution, residuals, rank, values] =
      linalg_lstsq(as_batch(info, 0, self), as_batch(info, 1, b), rcond, driver);
  // What the driver does not compute is empty, without a batch.
  const auto dim_of = [&](const Tensor& result, int64_t ndim_of_empty) {
    return result.dim() == ndim_of_empty ? std::nullopt : std::optional<int64_t>(0);
  };
  const bool has_rank = driver != std::optional<std::string_view>("gels");
  return {{solution, residuals, rank, values},
          {0, dim_of(residuals, 1), has_rank ? std::optional<int64_t>(0) : std::nullopt,
           dim_of(values, 1)}};
}

}  // namespace opwright
