// Gradients of linear algebra. Undefined gradients of results count as zeros.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// ---- LU
[[nodiscard]] Tensor lu_factor_gradient(const Tensor& grad, const Tensor& LU, const Tensor& pivots);
[[nodiscard]] Tensor lu_unpack_gradient(const Tensor& grad_L, const Tensor& grad_U,
                                        std::span<const SymInt> sizes);
[[nodiscard]] Tensor lu_solve_factor_gradient(const Tensor& grad, const Tensor& LU,
                                              const Tensor& pivots, const Tensor& X, bool left,
                                              bool adjoint);

// ---- equations
[[nodiscard]] std::tuple<Tensor, Tensor> solve_gradients(const Tensor& grad, const Tensor& A,
                                                         const Tensor& X, bool left,
                                                         std::span<const SymInt> B_sizes);
[[nodiscard]] Tensor solve_triangular_factor_gradient(const Tensor& grad, const Tensor& A,
                                                      const Tensor& X, bool upper, bool left,
                                                      bool unitriangular);
[[nodiscard]] Tensor cholesky_gradient(const Tensor& grad, const Tensor& L, bool upper);
[[nodiscard]] Tensor cholesky_solve_factor_gradient(const Tensor& grad, const Tensor& factor,
                                                    const Tensor& X, bool upper);
[[nodiscard]] Tensor cholesky_inverse_gradient(const Tensor& grad, const Tensor& factor,
                                               const Tensor& inverse, bool upper);
// The adjoint of B -> linalg_ldl_solve(LD, pivots, B).
[[nodiscard]] Tensor ldl_solve_adjoint(const Tensor& ld, const Tensor& pivots, const Tensor& grad,
                                       bool hermitian);
// Throws NotImplementedError.
[[nodiscard]] Tensor ldl_solve_factor_gradient(const Tensor& grad);
// Of self and b, for matrices of constant rank.
[[nodiscard]] std::tuple<Tensor, Tensor> least_squares_gradients(
    const Tensor& grad_solution, const Tensor& grad_residuals, const Tensor& grad_singular_values,
    const Tensor& A, const Tensor& b, const Tensor& solution, std::optional<double> rcond);

// ---- functions of matrices
[[nodiscard]] Tensor matrix_exp_gradient(const Tensor& grad, const Tensor& A);

// ---- determinants
[[nodiscard]] Tensor det_gradient(const Tensor& grad, const Tensor& A, const Tensor& LU,
                                  const Tensor& pivots);
[[nodiscard]] Tensor slogdet_gradient(const Tensor& grad_sign, const Tensor& grad_logabsdet,
                                      const Tensor& A, const Tensor& sign);

// ---- decompositions. Vectors that the call did not compute are computed here.
[[nodiscard]] Tensor qr_gradient(const Tensor& grad_Q, const Tensor& grad_R, const Tensor& Q,
                                 const Tensor& R, std::string_view mode);
[[nodiscard]] Tensor eigh_gradient(const Tensor& grad_values, const Tensor& grad_vectors,
                                   const Tensor& A, const Tensor& values, const Tensor& vectors,
                                   std::string_view UPLO, bool compute_v);
[[nodiscard]] Tensor eig_gradient(const Tensor& grad_values, const Tensor& grad_vectors,
                                  const Tensor& values, const Tensor& vectors, DType dtype);
[[nodiscard]] Tensor eigvals_gradient(const Tensor& grad, const Tensor& A);
[[nodiscard]] Tensor svd_gradient(const Tensor& grad_U, const Tensor& grad_S, const Tensor& grad_Vh,
                                  const Tensor& A, const Tensor& U, const Tensor& S,
                                  const Tensor& Vh, bool full_matrices, bool compute_uv);

}  // namespace opwright
