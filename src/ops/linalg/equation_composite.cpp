// Public names of systems of equations, inverses and determinants, and what is made of them:
// powers, pseudoinverses and ranks.
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/linalg/matrix_batch.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

using OptionalTensor = std::optional<Tensor>;
using OptionalNumber = std::optional<double>;

double epsilon_of(DType dtype) {
  return real_dtype(dtype) == DType::Float64 ? std::numeric_limits<double>::epsilon()
                                             : std::numeric_limits<float>::epsilon();
}

// The largest of atol and rtol times the largest value, as a column beside the values.
Tensor tolerance_of(const Tensor& atol, const Tensor& rtol, const Tensor& largest) {
  return maximum(atol.unsqueeze(-1), rtol.unsqueeze(-1).mul(largest));
}

Tensor number_like(const Tensor& self, double number) {
  return full({}, Scalar(number), DType::Float64, {}, self.device());
}

// PyTorch's default: rtol is the machine epsilon times the larger size, unless atol is positive.
std::pair<Tensor, Tensor> tolerances_of(const Tensor& self, const OptionalTensor& atol,
                                        const OptionalTensor& rtol) {
  const Tensor absolute = atol ? *atol : number_like(self, 0);
  if (rtol) return {absolute, *rtol};
  const SymInt larger = sym_max(self.sym_size(-2), self.sym_size(-1));
  const Tensor standard =
      number_like(self, 1).mul(Scalar(larger)).mul(Scalar(epsilon_of(self.dtype())));
  if (!atol) return {absolute, standard};
  return {absolute, where(atol->gt(0), Scalar(0.0), standard)};
}
OptionalTensor optional_number(const Tensor& self, const OptionalNumber& number) {
  return number ? OptionalTensor(number_like(self, *number)) : std::nullopt;
}

void check_matrix_dims(const char* who, const Tensor& self) {
  OPWRIGHT_CHECK(self.dim() >= 2, who, ": self must have at least 2 dimensions, got ", self.dim());
}

// The values from the largest on, without a sign.
Tensor magnitudes_of(const Tensor& self, bool hermitian) {
  return hermitian ? linalg_eigvalsh(self).abs() : linalg_svdvals(self);
}

Tensor pseudoinverse(const Tensor& self, const OptionalTensor& atol, const OptionalTensor& rtol,
                     bool hermitian) {
  check_matrices("linalg_pinv", "self", self);
  // A copy, not zeros, since it carries a gradient.
  if (guard_or_false(self.sym_numel() == 0)) return adjoint(self).clone(MemoryFormat::Contiguous);
  const auto [absolute, relative] = tolerances_of(self, atol, rtol);
  const auto inverted = [&](const Tensor& values, const Tensor& magnitudes, const Tensor& largest) {
    const Tensor is_used = magnitudes.gt(tolerance_of(absolute, relative, largest));
    const Tensor divisor = where(is_used, values, Scalar(1));
    return where(is_used, divisor.reciprocal(), Scalar(0)).unsqueeze(-2);
  };
  if (hermitian) {
    const auto [values, vectors] = linalg_eigh(self);
    const Tensor magnitudes = values.abs();
    const Tensor factors = inverted(values, magnitudes, magnitudes.amax({-1}, true));
    return matmul(vectors.mul(factors), adjoint(vectors));
  }
  const auto [U, S, Vh] = linalg_svd(self, false);
  return matmul(adjoint(Vh).mul(inverted(S, S, S.narrow(-1, 0, 1))), adjoint(U));
}

Tensor rank_of(const Tensor& self, const OptionalTensor& atol, const OptionalTensor& rtol,
               bool hermitian) {
  check_matrix_dims("linalg_matrix_rank", self);
  if (guard_or_false(self.sym_numel() == 0)) {
    SymSizes sizes;
    for (int64_t i = 0; i < self.dim() - 2; ++i) sizes.push_back(self.sym_size(i));
    return zeros(sizes, DType::Int64, {}, self.device());
  }
  const auto [absolute, relative] = tolerances_of(self, atol, rtol);
  const Tensor magnitudes = magnitudes_of(self.detach(), hermitian);
  const Tensor largest = hermitian ? magnitudes.amax({-1}, true) : magnitudes.narrow(-1, 0, 1);
  return magnitudes.gt(tolerance_of(absolute, relative, largest)).sum({-1});
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_solve_ex_composite(const Tensor& A, const Tensor& B, bool left,
                                                     bool check_errors) {
  auto [result, LU, pivots, info] = _linalg_solve_ex(A, B, left, check_errors);
  return {std::move(result), std::move(info)};
}
Tensor linalg_solve_composite(const Tensor& A, const Tensor& B, bool left) {
  return std::get<0>(_linalg_solve_ex(A, B, left, true));
}
Tensor linalg_inv_composite(const Tensor& A) { return std::get<0>(linalg_inv_ex(A, true)); }
Tensor inverse_composite(const Tensor& self) { return linalg_inv(self); }

Tensor linalg_det_composite(const Tensor& A) { return std::get<0>(_linalg_det(A)); }
Tensor det_composite(const Tensor& self) { return linalg_det(self); }
std::tuple<Tensor, Tensor> linalg_slogdet_composite(const Tensor& A) {
  auto [sign, logabsdet, LU, pivots] = _linalg_slogdet(A);
  return {std::move(sign), std::move(logabsdet)};
}
std::tuple<Tensor, Tensor> slogdet_composite(const Tensor& self) { return linalg_slogdet(self); }
Tensor logdet_composite(const Tensor& self) {
  const auto [sign, logabsdet] = linalg_slogdet(self);
  if (is_complex(self.dtype())) return sign.log().add(logabsdet);
  return where(sign.eq(-1), Scalar(std::numeric_limits<double>::quiet_NaN()), logabsdet);
}

Tensor linalg_matrix_power_composite(const Tensor& self, int64_t n) {
  check_matrix_dims("linalg_matrix_power", self);
  OPWRIGHT_CHECK(guard_or_true(self.sym_size(-2) == self.sym_size(-1)),
                 "linalg_matrix_power: self must be batches of square matrices, got ",
                 self.sym_size(-2), " by ", self.sym_size(-1), " matrices");
  if (n == 0) return zeros_like(self).add(eye(self.sym_size(-1), self.dtype(), {}, self.device()));
  Tensor square = n < 0 ? linalg_inv(self) : self;
  uint64_t rest = n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  if (rest == 1) return n < 0 ? square : square.clone();
  Tensor result;
  for (; rest != 0; rest /= 2) {
    if (rest % 2 != 0) result = result.is_defined() ? matmul(result, square) : square;
    if (rest > 1) square = matmul(square, square);
  }
  return result;
}

Tensor linalg_pinv_tensors_composite(const Tensor& self, const OptionalTensor& atol,
                                     const OptionalTensor& rtol, bool hermitian) {
  return pseudoinverse(self, atol, rtol, hermitian);
}
Tensor linalg_pinv_floats_composite(const Tensor& self, const OptionalNumber& atol,
                                    const OptionalNumber& rtol, bool hermitian) {
  return pseudoinverse(self, optional_number(self, atol), optional_number(self, rtol), hermitian);
}
Tensor linalg_pinv_composite(const Tensor& self, double rcond, bool hermitian) {
  return pseudoinverse(self, number_like(self, 0), number_like(self, rcond), hermitian);
}
Tensor linalg_pinv_rcond_tensor_composite(const Tensor& self, const Tensor& rcond, bool hermitian) {
  return pseudoinverse(self, number_like(self, 0), rcond, hermitian);
}
Tensor pinverse_composite(const Tensor& self, double rcond) {
  return pseudoinverse(self, number_like(self, 0), number_like(self, rcond), false);
}

Tensor linalg_matrix_rank_tensors_composite(const Tensor& input, const OptionalTensor& atol,
                                            const OptionalTensor& rtol, bool hermitian) {
  return rank_of(input, atol, rtol, hermitian);
}
Tensor linalg_matrix_rank_floats_composite(const Tensor& self, const OptionalNumber& atol,
                                           const OptionalNumber& rtol, bool hermitian) {
  return rank_of(self, optional_number(self, atol), optional_number(self, rtol), hermitian);
}
Tensor linalg_matrix_rank_composite(const Tensor& self, double tol, bool hermitian) {
  return rank_of(self, number_like(self, tol), number_like(self, 0), hermitian);
}
Tensor linalg_matrix_rank_tensor_composite(const Tensor& input, const Tensor& tol, bool hermitian) {
  return rank_of(input, tol, number_like(input, 0), hermitian);
}

}  // namespace opwright
