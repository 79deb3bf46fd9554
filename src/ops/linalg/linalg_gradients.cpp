#include "opwright/ops/linalg/linalg_gradients.h"

#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/rule/gradient_rule.h"
#include "opwright/ops/view/view_gradients.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// grad X^H or X^H grad, negated: the gradient of A in A X = B, where `grad` is that of B.
Tensor factor_gradient(const Tensor& grad, const Tensor& X, bool left) {
  return (left ? matmul(grad, adjoint(X)) : matmul(adjoint(X), grad)).neg();
}

Tensor hermitian_part(const Tensor& X) { return X.add(adjoint(X)).mul(0.5); }

// The gradient of A for those of strictly lower L and of upper U, where P A' = L U and X is
// L^-1 P^T dA U^-1 for the square part of A.
Tensor lu_gradient(const Tensor& grad_L, const Tensor& grad_U, const Tensor& P, const Tensor& L,
                   const Tensor& U) {
  const SymInt m = L.sym_size(-2);
  const SymInt n = U.sym_size(-1);
  const SymInt k = L.sym_size(-1);
  const Tensor square_L = L.narrow(-2, 0, k);
  const Tensor square_U = U.narrow(-1, 0, k);
  Tensor middle = matmul(adjoint(square_L), grad_L.narrow(-2, 0, k)).tril(-1);
  middle = middle.add(matmul(grad_U.narrow(-1, 0, k), adjoint(square_U)).triu());
  if (m < n) {
    const Tensor rest = matmul(grad_U.narrow(-1, k, n - k), adjoint(U.narrow(-1, k, n - k)));
    middle = middle.sub(rest.tril(-1));
  } else if (n < m) {
    const Tensor rest = matmul(adjoint(L.narrow(-2, k, m - k)), grad_L.narrow(-2, k, m - k));
    middle = middle.sub(rest.triu());
  }
  const Tensor right = linalg_solve_triangular(adjoint(square_U), middle, false, false);
  Tensor grad = linalg_solve_triangular(adjoint(square_L), right, true, true, true);
  if (m < n) {
    const Tensor rest =
        linalg_solve_triangular(adjoint(square_L), grad_U.narrow(-1, k, n - k), true, true, true);
    grad = cat(std::vector{grad, rest}, -1);
  } else if (n < m) {
    const Tensor rest =
        linalg_solve_triangular(adjoint(square_U), grad_L.narrow(-2, k, m - k), false, false);
    grad = cat(std::vector{grad, rest}, -2);
  }
  return matmul(P, grad);
}

Tensor identity_like(const Tensor& like) {
  return eye(like.sym_size(-1), like.dtype(), {}, like.device());
}

// `matrix` with `diagonal` as its diagonal.
Tensor with_diagonal(const Tensor& matrix, const Tensor& diagonal) {
  return matrix.triu(1).add(matrix.tril(-1)).add(identity_like(matrix).mul(diagonal.unsqueeze(-1)));
}

// x_j - x_i, and 1 on the diagonal.
Tensor differences_of(const Tensor& x) {
  const Tensor differences = x.unsqueeze(-2).sub(x.unsqueeze(-1));
  return differences.add(identity_like(differences));
}

// numerator / denominator. Zeros stay zeros: vectors that are not used do not matter, even those of
// repeated values.
Tensor divide_used(const Tensor& numerator, const Tensor& denominator) {
  return where(numerator.eq(0), zeros_like(numerator), numerator.div(denominator));
}

Tensor zeros_if_undefined(const Tensor& grad, const Tensor& like) {
  return grad.is_defined() ? grad : zeros_like(like);
}

// The gradient of a square or tall matrix.
Tensor tall_qr_gradient(const Tensor& grad_Q, const Tensor& grad_R, const Tensor& Q,
                        const Tensor& R) {
  const Tensor upper = matmul(grad_R, adjoint(R)).sub(matmul(adjoint(Q), grad_Q)).triu();
  const Tensor sum = upper.add(adjoint(upper));
  const Tensor halved = sum.add(sum.triu(1)).add(sum.tril(-1)).mul(0.5);  // only its diagonal
  return linalg_solve_triangular(adjoint(R), grad_Q.add(matmul(Q, halved)), false, false);
}

}  // namespace

Tensor lu_factor_gradient(const Tensor& grad, const Tensor& LU, const Tensor& pivots) {
  if (!grad.is_defined()) return grad;
  const auto [P, L, U] = lu_unpack(LU, pivots);
  const SymInt k = L.sym_size(-1);
  return lu_gradient(grad.narrow(-1, 0, k).tril(-1), grad.narrow(-2, 0, k).triu(), P, L, U);
}

Tensor lu_unpack_gradient(const Tensor& grad_L, const Tensor& grad_U,
                          std::span<const SymInt> sizes) {
  const SymInt& m = sizes[sizes.size() - 2];
  const SymInt& n = sizes[sizes.size() - 1];
  Tensor grad;
  if (grad_L.is_defined()) {
    const Tensor lower = grad_L.tril(-1);
    grad = constant_pad_nd(lower, {SymInt(0), n - lower.sym_size(-1)});
  }
  if (grad_U.is_defined()) {
    const Tensor upper = grad_U.triu();
    const Tensor padded =
        constant_pad_nd(upper, {SymInt(0), SymInt(0), SymInt(0), m - upper.sym_size(-2)});
    grad = grad.is_defined() ? grad.add(padded) : padded;
  }
  return grad;
}

Tensor lu_solve_factor_gradient(const Tensor& grad, const Tensor& LU, const Tensor& pivots,
                                const Tensor& X, bool left, bool adjoint_of_A) {
  const Tensor grad_B = linalg_lu_solve(LU, pivots, grad, left, !adjoint_of_A);
  const Tensor grad_op = factor_gradient(grad_B, X, left);
  const Tensor grad_A = adjoint_of_A ? adjoint(grad_op) : grad_op;
  const auto [P, L, U] = lu_unpack(LU, pivots);
  const Tensor permuted = matmul(adjoint(P), grad_A);
  const Tensor lower = matmul(permuted, adjoint(U)).tril(-1);
  return sum_to(lower.add(matmul(adjoint(L), permuted).triu()), sizes_of(LU));
}

std::tuple<Tensor, Tensor> solve_gradients(const Tensor& grad, const Tensor& A, const Tensor& X,
                                           bool left, std::span<const SymInt> B_sizes) {
  if (!grad.is_defined()) return {};
  const Tensor grad_B = linalg_solve(adjoint(A), grad, left);
  const bool is_vector = X.dim() == A.dim() - 1;
  const Tensor grad_A = is_vector ? factor_gradient(grad_B.unsqueeze(-1), X.unsqueeze(-1), true)
                                  : factor_gradient(grad_B, X, left);
  return {sum_to(grad_A, sizes_of(A)), sum_to(grad_B, B_sizes)};
}

Tensor solve_triangular_factor_gradient(const Tensor& grad, const Tensor& A, const Tensor& X,
                                        bool upper, bool left, bool unitriangular) {
  const Tensor grad_B = linalg_solve_triangular(adjoint(A), grad, !upper, left, unitriangular);
  const Tensor grad_A = factor_gradient(grad_B, X, left);
  const int64_t skipped = unitriangular ? 1 : 0;
  return sum_to(upper ? grad_A.triu(skipped) : grad_A.tril(-skipped), sizes_of(A));
}

Tensor cholesky_gradient(const Tensor& grad, const Tensor& L, bool upper) {
  if (!grad.is_defined()) return grad;
  const Tensor lower = upper ? adjoint(L) : L;
  const Tensor product = matmul(adjoint(lower), upper ? adjoint(grad) : grad);
  const Tensor halved = product.tril().add(product.tril(-1)).mul(0.5);  // only its diagonal
  const Tensor left = linalg_solve_triangular(adjoint(lower), hermitian_part(halved), true, true);
  return linalg_solve_triangular(lower, left, false, false);
}

Tensor cholesky_solve_factor_gradient(const Tensor& grad, const Tensor& factor, const Tensor& X,
                                      bool upper) {
  const Tensor grad_A = factor_gradient(cholesky_solve(grad, factor, upper), X, true);
  const Tensor both = grad_A.add(adjoint(grad_A));
  return sum_to(upper ? matmul(factor, both) : matmul(both, factor), sizes_of(factor));
}

Tensor cholesky_inverse_gradient(const Tensor& grad, const Tensor& factor, const Tensor& inverse,
                                 bool upper) {
  const Tensor product = matmul(matmul(inverse, grad), inverse);
  const Tensor both = product.add(adjoint(product));
  return (upper ? matmul(factor, both) : matmul(both, factor)).neg();
}

Tensor ldl_solve_adjoint(const Tensor& ld, const Tensor& pivots, const Tensor& grad,
                         bool hermitian) {
  if (hermitian || !is_complex(ld.dtype())) return linalg_ldl_solve(ld, pivots, grad, hermitian);
  return conjugate(linalg_ldl_solve(ld, pivots, conjugate(grad), false));
}
Tensor ldl_solve_factor_gradient(const Tensor& /*grad*/) {
  throw_error("NotImplementedError",
              "linalg_ldl_solve: the gradient of LD is not implemented; detach LD, or solve with "
              "linalg_solve, which has gradients of the matrix");
}

std::tuple<Tensor, Tensor> least_squares_gradients(
    const Tensor& grad_solution, const Tensor& grad_residuals, const Tensor& grad_singular_values,
    const Tensor& A, const Tensor& b, const Tensor& solution, std::optional<double> rcond) {
  const bool is_vector = A.dim() != b.dim();
  const auto as_matrix = [&](const Tensor& tensor) {
    return is_vector ? tensor.unsqueeze(-1) : tensor;
  };
  const Tensor B = as_matrix(b);
  const Tensor X = as_matrix(solution);
  const Tensor rest = B.sub(matmul(A, X));
  Tensor grad_A;
  Tensor grad_B;
  const auto add_to = [](Tensor& sum, const Tensor& term) {
    sum = sum.is_defined() ? sum.add(term) : term;
  };
  if (grad_solution.is_defined()) {
    // With P = A^+: dX = P dB - P dA X + P P^H dA^H (B - A X) + (I - P A) dA^H P^H X.
    const Tensor grad = as_matrix(grad_solution);
    const Tensor P = linalg_pinv(A, std::nullopt, rcond);
    grad_B = matmul(adjoint(P), grad);
    const Tensor of_columns = matmul(rest, matmul(adjoint(matmul(adjoint(P), grad)), adjoint(P)));
    const Tensor left = matmul(adjoint(P), X);
    const Tensor unreached = grad.sub(matmul(P, matmul(A, grad)));
    grad_A = matmul(left, adjoint(unreached)).add(of_columns).sub(matmul(grad_B, adjoint(X)));
  }
  if (grad_residuals.is_defined() && guard_or_true(grad_residuals.sym_numel() != 0)) {
    const Tensor scaled = rest.mul(grad_residuals.unsqueeze(-2).mul(2));
    add_to(grad_B, scaled);
    add_to(grad_A, matmul(scaled, adjoint(X)).neg());
  }
  if (grad_singular_values.is_defined() && guard_or_true(grad_singular_values.sym_numel() != 0)) {
    const auto [U, S, Vh] = _linalg_svd(A, false, true);
    add_to(grad_A, matmul(U.mul(grad_singular_values.unsqueeze(-2)), Vh));
  }
  if (grad_A.is_defined()) grad_A = sum_to(grad_A, sym_geometry_of(A).sizes);
  if (grad_B.is_defined()) {
    grad_B = sum_to(grad_B, sym_geometry_of(B).sizes);
    if (is_vector) grad_B = grad_B.squeeze(-1);
  }
  return {grad_A, grad_B};
}

// exp [[A^H, G], [0, A^H]] has the gradient beside exp A^H: the derivative of exp at A^H along G.
Tensor matrix_exp_gradient(const Tensor& grad, const Tensor& A) {
  const Tensor adjoint_A = adjoint(A);
  const SymInt n = A.sym_size(-1);
  const Tensor upper = cat(std::vector{adjoint_A, grad}, -1);
  const Tensor lower = cat(std::vector{zeros_like(adjoint_A), adjoint_A}, -1);
  const Tensor both = linalg_matrix_exp(cat(std::vector{upper, lower}, -2));
  return both.narrow(-2, 0, n).narrow(-1, n, n);
}

namespace {

// What makes a matrix regular and its determinant a number that its dtype can hold.
struct Regularization {
  Tensor shift;     // [..., n]: a share of the largest pivot for each that is zero, else 0
  Tensor exponent;  // [..., 1]: the binary logarithm of the mean magnitude of the pivots, rounded
};
Regularization find_regularization(const Tensor& U, double share) {
  const bool is_double = real_dtype(U.dtype()) == DType::Float64;
  const Tensor pivots = U.diagonal(0, -2, -1).abs();
  const Tensor step = U.abs().amax({-2, -1}).unsqueeze(-1).mul(share).clamp(
      Scalar(is_double ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min()));
  const Tensor shift = where(pivots.eq(0), step, zeros_like(step));
  const double limit = is_double ? 1000 : 120;
  const Tensor exponent = pivots.add(shift).log2().mean({-1}, true).round();
  return {shift, exponent.clamp(Scalar(-limit), Scalar(limit))};
}

// 1 or -1, [...]: of the permutation that pivots describe.
Tensor permutation_sign(const Tensor& pivots, DType dtype) {
  const Tensor rows =
      arange(Scalar(pivots.sym_size(-1)), DType::Int32, std::nullopt, pivots.device()).add(1);
  return pivots.ne(rows).to(dtype).mul(-2).add(1).prod(-1);
}

// det A and A^-1, of A divided by a power of two.
struct ScaledInverse {
  Tensor det, inverse;
};
ScaledInverse invert_factors(const Tensor& LU, const Tensor& pivots, const Regularization& by,
                             const Tensor& scale) {
  const Tensor identity = identity_like(LU);
  const Tensor U = LU.triu().add(identity.mul(by.shift.unsqueeze(-1))).mul(scale);
  const Tensor det = U.diagonal(0, -2, -1).prod(-1).mul(permutation_sign(pivots, LU.dtype()));
  return {det, linalg_lu_solve(LU.tril(-1).add(U), pivots, identity)};
}
// The same as float64, computed from A, so that it can be differentiated.
ScaledInverse invert_matrix(const Tensor& A, const Tensor& LU, const Tensor& pivots,
                            const Regularization& by, const Tensor& scale) {
  const auto [P, L, U] = lu_unpack(LU, pivots);
  const Tensor wide = A.to(is_complex(A.dtype()) ? DType::Complex128 : DType::Float64);
  const Tensor regular = wide.add(matmul(P, L.mul(by.shift.unsqueeze(-2)))).mul(scale);
  return {linalg_det(regular), std::get<0>(linalg_inv_ex(regular))};
}

}  // namespace

// The adjoint of the adjugate, det(A) A^-1. That of a singular matrix is the limit for a small
// number in place of each pivot that is zero: a rounding error, unless the result will be
// differentiated. The second derivative has the rounding errors divided by the number, so it is
// computed as float64, with half of its digits.
Tensor det_gradient(const Tensor& grad, const Tensor& A, const Tensor& LU, const Tensor& pivots) {
  if (!grad.is_defined()) return grad;
  if (guard_or_false(A.sym_numel() == 0)) return zeros_like(A);
  const bool is_double = real_dtype(A.dtype()) == DType::Float64;
  const bool is_recorded = is_grad_enabled();
  const double share = is_recorded ? 0x1p-26
                       : is_double ? std::numeric_limits<double>::epsilon()
                                   : std::numeric_limits<float>::epsilon();
  const Tensor factors = LU.detach();
  const Regularization by = find_regularization(factors.triu(), share);
  const Tensor scale = by.exponent.neg().exp2().unsqueeze(-1);
  const auto [det, inverse] = is_recorded ? invert_matrix(A, factors, pivots, by, scale)
                                          : invert_factors(factors, pivots, by, scale);
  // adj(A) = c^(n - 1) adj(A / c)
  const Tensor back = by.exponent.squeeze(-1).mul(Scalar(A.sym_size(-1) - SymInt(1))).exp2();
  const Tensor factor = grad.mul(det.conj()).mul(back);
  return adjoint(inverse).mul(factor.unsqueeze(-1).unsqueeze(-1)).to(A.dtype());
}

// Of log |det A| and of the direction of det A, whose angle has the derivative Im tr(A^-1 dA).
Tensor slogdet_gradient(const Tensor& grad_sign, const Tensor& grad_logabsdet, const Tensor& A,
                        const Tensor& sign) {
  const bool has_angle = grad_sign.is_defined() && is_complex(A.dtype());
  if (!grad_logabsdet.is_defined() && !has_angle) return {};
  Tensor factor = grad_logabsdet;
  if (has_angle) {
    const Tensor angle = imag(grad_sign.conj().mul(sign)).neg();
    factor = complex(grad_logabsdet.is_defined() ? grad_logabsdet : zeros_like(angle), angle);
  }
  const Tensor inverse = std::get<0>(linalg_inv_ex(A));
  return adjoint(inverse).mul(factor.unsqueeze(-1).unsqueeze(-1));
}

Tensor qr_gradient(const Tensor& grad_Q, const Tensor& grad_R, const Tensor& Q, const Tensor& R,
                   std::string_view mode) {
  if (!grad_Q.is_defined() && !grad_R.is_defined()) return {};
  OPWRIGHT_CHECK(mode != "r",
                 "linalg_qr: the derivative depends on Q, which is not computed when mode='r'; use "
                 "mode='reduced'");
  const SymInt m = Q.sym_size(-2);
  const SymInt n = R.sym_size(-1);
  OPWRIGHT_CHECK(mode != "complete" || !(n < m),
                 "linalg_qr: the derivative is not implemented when mode='complete' and there are "
                 "more rows than columns; use mode='reduced'");
  const Tensor of_Q = zeros_if_undefined(grad_Q, Q);
  const Tensor of_R = zeros_if_undefined(grad_R, R);
  if (!(m < n)) return tall_qr_gradient(of_Q, of_R, Q, R);
  // The other columns are Q times those of R.
  const Tensor rest = R.narrow(-1, m, n - m);
  const Tensor of_rest = of_R.narrow(-1, m, n - m);
  const Tensor first = tall_qr_gradient(of_Q.add(matmul(matmul(Q, rest), adjoint(of_rest))),
                                        of_R.narrow(-1, 0, m), Q, R.narrow(-1, 0, m));
  return cat(std::vector{first, matmul(Q, of_rest)}, -1);
}

Tensor eigh_gradient(const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& A,
                     const Tensor& values, const Tensor& vectors, std::string_view UPLO,
                     bool compute_v) {
  const Tensor V = compute_v ? vectors : std::get<1>(_linalg_eigh(A, UPLO, true));
  if (!compute_v || !grad_vectors.is_defined()) {
    if (!grad_values.is_defined()) return {};
    return matmul(V.mul(grad_values.unsqueeze(-2)), adjoint(V));
  }
  // Of all gradients for one triangle the Hermitian one, as in PyTorch.
  const Tensor X = matmul(adjoint(V), grad_vectors);
  const Tensor turned = divide_used(X.sub(adjoint(X)).mul(0.5), differences_of(values));
  const Tensor inner = with_diagonal(turned, zeros_if_undefined(grad_values, values));
  return matmul(V, matmul(inner, adjoint(V)));
}

Tensor eig_gradient(const Tensor& grad_values, const Tensor& grad_vectors, const Tensor& values,
                    const Tensor& vectors, DType dtype) {
  if (!grad_values.is_defined() && !grad_vectors.is_defined()) return {};
  const Tensor& V = vectors;
  const Tensor transposed = adjoint(V);
  Tensor inner;
  if (grad_vectors.is_defined()) {
    // Vectors have length 1: what changes only their lengths has no effect.
    const Tensor turned = matmul(transposed, grad_vectors);
    const Tensor lengths = real(turned.diagonal(0, -2, -1)).unsqueeze(-2);
    const Tensor projected = turned.sub(matmul(transposed, V.mul(lengths)));
    inner = with_diagonal(divide_used(projected, differences_of(values).conj()),
                          zeros_if_undefined(grad_values, values));
    inner = matmul(inner, transposed);
  } else {
    inner = transposed.mul(grad_values.unsqueeze(-1));
  }
  const Tensor grad = linalg_solve(transposed, inner);
  return is_complex(dtype) ? grad : real(grad);
}

Tensor eigvals_gradient(const Tensor& grad, const Tensor& A) {
  const auto [values, vectors] = linalg_eig(A);
  return eig_gradient(grad, Tensor(), values, vectors, A.dtype());
}

namespace {

// (X - X^H), or undefined.
Tensor skew_part(const Tensor& left, const Tensor& right) {
  if (!left.is_defined() || !right.is_defined()) return {};
  const Tensor X = matmul(left, right);
  return X.sub(adjoint(X));
}

// The gradient for the k singular vectors, which is U `inner` Vh and what leaves their span.
Tensor thin_svd_gradient(const Tensor& grad_U, const Tensor& grad_S, const Tensor& grad_Vh,
                         const Tensor& U, const Tensor& S, const Tensor& Vh) {
  const Tensor of_U = skew_part(adjoint(U), grad_U);
  const Tensor of_V = skew_part(Vh, grad_Vh.is_defined() ? adjoint(grad_Vh) : grad_Vh);
  const Tensor differences = differences_of(S.mul(S));
  Tensor inner = grad_S.is_defined() ? identity_like(differences).mul(grad_S.unsqueeze(-1))
                                     : zeros_like(differences);
  if (of_U.is_defined()) {
    const Tensor weighted = divide_used(of_U, differences).mul(S.unsqueeze(-2));
    inner = inner.add(weighted.triu(1)).add(weighted.tril(-1));
    if (is_complex(U.dtype())) {
      const Tensor turned = of_U.diagonal(0, -2, -1).div(S.mul(2));
      inner = inner.add(identity_like(of_U).mul(turned.unsqueeze(-1)));
    }
  }
  if (of_V.is_defined()) {
    const Tensor weighted = divide_used(of_V, differences).mul(S.unsqueeze(-1));
    inner = inner.add(weighted.triu(1)).add(weighted.tril(-1));
  }
  Tensor grad = matmul(U, matmul(inner, Vh));
  const SymInt k = S.sym_size(-1);
  if (grad_U.is_defined() && k < U.sym_size(-2)) {
    const Tensor scaled = grad_U.div(S.unsqueeze(-2));
    grad = grad.add(matmul(scaled.sub(matmul(U, matmul(adjoint(U), scaled))), Vh));
  }
  if (grad_Vh.is_defined() && k < Vh.sym_size(-1)) {
    const Tensor scaled = grad_Vh.div(S.unsqueeze(-1));
    grad = grad.add(matmul(U, scaled.sub(matmul(matmul(scaled, adjoint(Vh)), Vh))));
  }
  return grad;
}

Tensor first_columns(const Tensor& tensor, const SymInt& count) {
  return tensor.is_defined() ? tensor.narrow(-1, 0, count) : tensor;
}
Tensor first_rows(const Tensor& tensor, const SymInt& count) {
  return tensor.is_defined() ? tensor.narrow(-2, 0, count) : tensor;
}

}  // namespace

Tensor svd_gradient(const Tensor& grad_U, const Tensor& grad_S, const Tensor& grad_Vh,
                    const Tensor& A, const Tensor& U, const Tensor& S, const Tensor& Vh,
                    bool full_matrices, bool compute_uv) {
  if (!compute_uv || (!grad_U.is_defined() && !grad_Vh.is_defined())) {
    if (!grad_S.is_defined()) return {};
    const SymInt k = S.sym_size(-1);
    if (compute_uv) return matmul(first_columns(U, k).mul(grad_S.unsqueeze(-2)), first_rows(Vh, k));
    const auto [left, values, right] = _linalg_svd(A, false, true);
    return matmul(left.mul(grad_S.unsqueeze(-2)), right);
  }
  if (!full_matrices) return thin_svd_gradient(grad_U, grad_S, grad_Vh, U, S, Vh);
  const SymInt k = S.sym_size(-1);
  return thin_svd_gradient(first_columns(grad_U, k), grad_S, first_rows(grad_Vh, k),
                           first_columns(U, k), S, first_rows(Vh, k));
}

}  // namespace opwright
