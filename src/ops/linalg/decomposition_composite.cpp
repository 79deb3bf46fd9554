// Public names of decompositions: LU, Cholesky, QR, eigenvalues, singular values; the old names.
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

// As LAPACK lays matrices out, and as PyTorch returns them.
Tensor column_major_clone(const Tensor& A) {
  return A.transpose(-2, -1).clone(MemoryFormat::Contiguous).transpose(-2, -1);
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_lu_factor_composite(const Tensor& A, bool pivot) {
  auto [LU, pivots, info] = linalg_lu_factor_ex(A, pivot, true);
  return {std::move(LU), std::move(pivots)};
}
std::tuple<Tensor, Tensor, Tensor> linalg_lu_composite(const Tensor& A, bool pivot) {
  const auto [LU, pivots, info] = linalg_lu_factor_ex(A, pivot, false);
  return lu_unpack(LU, pivots);
}
std::tuple<Tensor, Tensor, Tensor> lu_with_info_composite(const Tensor& self, bool pivot,
                                                          bool check_errors) {
  return linalg_lu_factor_ex(self, pivot, check_errors);
}
Tensor lu_solve_composite(const Tensor& self, const Tensor& LU_data, const Tensor& LU_pivots) {
  return linalg_lu_solve(LU_data, LU_pivots, self);
}

Tensor linalg_cholesky_composite(const Tensor& self, bool upper) {
  return std::get<0>(linalg_cholesky_ex(self, upper, true));
}
Tensor cholesky_composite(const Tensor& self, bool upper) {
  return std::get<0>(linalg_cholesky_ex(self, upper, true));
}
std::tuple<Tensor, Tensor> qr_composite(const Tensor& self, bool some) {
  return linalg_qr(self, some ? "reduced" : "complete");
}

std::tuple<Tensor, Tensor> linalg_eigh_composite(const Tensor& self, std::string_view UPLO) {
  return _linalg_eigh(self, UPLO, true);
}
Tensor linalg_eigvalsh_composite(const Tensor& self, std::string_view UPLO) {
  return std::get<0>(_linalg_eigh(self, UPLO, false));
}
Tensor linalg_eigvals_composite(const Tensor& self) { return _linalg_eigvals(self); }

std::tuple<Tensor, Tensor, Tensor> linalg_svd_composite(
    const Tensor& A, bool full_matrices, const std::optional<std::string_view>& driver) {
  return _linalg_svd(A, full_matrices, true, driver);
}
Tensor linalg_svdvals_composite(const Tensor& A, const std::optional<std::string_view>& driver) {
  return std::get<1>(_linalg_svd(A, false, false, driver));
}
// Without vectors, the old name returns zeros in their place.
std::tuple<Tensor, Tensor, Tensor> svd_composite(const Tensor& self, bool some, bool compute_uv) {
  OPWRIGHT_CHECK(self.dim() >= 2, "svd: self must have at least 2 dimensions, got ", self.dim());
  if (compute_uv) {
    auto [U, S, Vh] = _linalg_svd(self, !some, true);
    return {std::move(U), std::move(S), adjoint(Vh)};
  }
  Tensor S = std::get<1>(_linalg_svd(self, false, false));
  const auto zeros_of = [&](int64_t dim) {
    SymSizes sizes;
    for (int64_t i = 0; i < self.dim() - 2; ++i) sizes.push_back(self.sym_size(i));
    sizes.push_back(self.sym_size(dim));
    sizes.push_back(self.sym_size(dim));
    return self.new_zeros(sizes);
  };
  return {zeros_of(-2), std::move(S), zeros_of(-1)};
}

std::tuple<Tensor, Tensor> triangular_solve_composite(const Tensor& self, const Tensor& A,
                                                      bool upper, bool transpose,
                                                      bool unitriangular) {
  const Tensor system = transpose ? A.transpose(-2, -1) : A;
  return {linalg_solve_triangular(system, self, upper != transpose, true, unitriangular),
          column_major_clone(A)};
}

}  // namespace opwright
