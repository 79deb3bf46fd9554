// Statistics as composites: aminmax, nansum, nanmean, cov, corrcoef, renorm, norm_except_dim.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/reduction/composite_checks.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// All dimensions but one.
Sizes other_dims(const Tensor& self, int64_t kept) {
  Sizes dims;
  for (int64_t i = 0; i < self.dim(); ++i) {
    if (i != kept) dims.push_back(i);
  }
  return dims;
}

OptionalIntList as_list(std::optional<std::span<const int64_t>> dim) {
  return dim ? OptionalIntList(*dim) : OptionalIntList();
}

void check_weights(const char* name, const Tensor& weights, const SymInt& count) {
  OPWRIGHT_CHECK(weights.dim() <= 1, "cov: ", name, " must have at most one dimension, got ",
                 weights);
  OPWRIGHT_DEMAND(weights.sym_numel() == count, "cov: ", name,
                  " must have a weight for each of the ", count, " observations, got ",
                  weights.sym_numel());
  for (const double each : values_to_check(weights))
    OPWRIGHT_CHECK(each >= 0, "cov: ", name, " must not be negative or NaN, got ", each);
}

struct Weights {
  std::optional<Tensor> all;
  std::optional<Tensor> of_reliability;  // aweights
};

Weights read_weights(const std::optional<Tensor>& fweights, const std::optional<Tensor>& aweights,
                     const SymInt& count) {
  Weights weights;
  if (fweights) {
    OPWRIGHT_CHECK(!is_floating(fweights->dtype()) && !is_complex(fweights->dtype()) &&
                       fweights->dtype() != DType::Bool,
                   "cov: fweights must be of an integer dtype, got ", fweights->dtype());
    check_weights("fweights", *fweights, count);
    weights.all = *fweights;
  }
  if (aweights) {
    OPWRIGHT_CHECK(is_floating(aweights->dtype()),
                   "cov: aweights must be of a floating dtype, got ", aweights->dtype());
    check_weights("aweights", *aweights, count);
    weights.all = weights.all ? weights.all->mul(*aweights) : *aweights;
    weights.of_reliability = *aweights;
  }
  return weights;
}

// The number of observations minus the correction, which weights of reliability scale.
Tensor find_norm(const Weights& weights, const Tensor& sum, int64_t correction) {
  if (!weights.of_reliability || correction == 0) return sum.sub(Scalar(correction));
  const Tensor weighted = weights.all->mul(*weights.of_reliability).sum();
  return sum.sub(weighted.mul(Scalar(correction)).div(sum));
}

}  // namespace

std::tuple<Tensor, Tensor> aminmax_composite(const Tensor& self, const std::optional<int64_t>& dim,
                                             bool keepdim) {
  if (dim) return {self.amin({*dim}, keepdim), self.amax({*dim}, keepdim)};
  OPWRIGHT_DEMAND(self.sym_numel() > 0,
                  "aminmax: self has no elements; give dim, a dimension that has some");
  return {self.amin({}, keepdim), self.amax({}, keepdim)};
}

Tensor nansum_composite(const Tensor& self, std::optional<std::span<const int64_t>> dim,
                        bool keepdim, const std::optional<DType>& dtype) {
  OPWRIGHT_CHECK(!is_complex(self.dtype()), "nansum: self must not be complex, got ", self);
  return self.masked_fill(self.ne(self), 0).sum(as_list(dim), keepdim, dtype);
}
Tensor nanmean_composite(const Tensor& self, std::optional<std::span<const int64_t>> dim,
                         bool keepdim, const std::optional<DType>& dtype) {
  OPWRIGHT_CHECK(is_floating(self.dtype()), "nanmean: self must be of a floating dtype, got ",
                 self);
  return nansum_composite(self, dim, keepdim, dtype).div(self.eq(self).sum(as_list(dim), keepdim));
}

Tensor cov_composite(const Tensor& self, int64_t correction, const std::optional<Tensor>& fweights,
                     const std::optional<Tensor>& aweights) {
  OPWRIGHT_CHECK(self.dim() <= 2, "cov: self must have at most two dimensions, got ", self);
  OPWRIGHT_CHECK(self.dtype() != DType::Bool, "cov: self must not be of bool");
  const Tensor rows = self.dim() < 2 ? self.reshape({1, -1}) : self;
  const SymInt count = rows.sym_size(1);
  const Weights weights = read_weights(fweights, aweights, count);
  const Tensor x = rows.to(inexact_dtype(rows.dtype()));
  Tensor mean_of_rows = x.mean({1}, true);
  Tensor norm = full({}, Scalar(count), DType::Float64, std::nullopt, self.device());
  if (weights.all) {
    norm = weights.all->sum();
    mean_of_rows = x.mul(*weights.all).sum({1}, true).div(norm);
  }
  norm = find_norm(weights, norm, correction).clamp(Scalar(0));
  const Tensor centered = x.sub(mean_of_rows);
  const Tensor weighted = weights.all ? centered.mul(*weights.all) : centered;
  const Tensor other = is_complex(x.dtype()) ? centered.conj_physical() : centered;
  const Tensor product = mm(weighted.to(x.dtype()), other.to(x.dtype()).t());
  return product.div(norm).squeeze();
}

Tensor corrcoef_composite(const Tensor& self) {
  OPWRIGHT_CHECK(self.dim() <= 2, "corrcoef: self must have at most two dimensions, got ", self);
  const Tensor c = cov(self);
  if (c.dim() == 0) return c.div(c);
  const Tensor variances = c.diagonal();
  const Tensor deviations = (is_complex(c.dtype()) ? real(variances) : variances).sqrt();
  const Tensor scaled = c.div(deviations.unsqueeze(-1)).div(deviations.unsqueeze(0));
  if (!is_complex(scaled.dtype())) return scaled.clamp(Scalar(-1), Scalar(1));
  return opwright::complex(real(scaled).clamp(Scalar(-1), Scalar(1)),
                           imag(scaled).clamp(Scalar(-1), Scalar(1)));
}

Tensor renorm_composite(const Tensor& self, const Scalar& p, int64_t dim, const Scalar& maxnorm) {
  OPWRIGHT_CHECK(!p.is_complex() && p.to<double>() > 0, "renorm: p must be a positive number, got ",
                 p);
  OPWRIGHT_CHECK(!maxnorm.is_complex() && maxnorm.to<double>() >= 0,
                 "renorm: maxnorm must be a real number that is not negative, got ", maxnorm);
  OPWRIGHT_CHECK(self.dim() > 1, "renorm: self must have at least two dimensions, got ", self);
  const auto kept = static_cast<int64_t>(wrap_dim(dim, static_cast<size_t>(self.dim()), "renorm"));
  const Tensor norms = linalg_vector_norm(self, p, other_dims(self, kept), true);
  const Tensor factors = norms.add(1e-7).reciprocal().mul(maxnorm);
  return self.mul(where(norms.gt(maxnorm), factors, Scalar(1)).to(self.dtype()));
}

Tensor norm_except_dim_composite(const Tensor& v, int64_t pow, int64_t dim) {
  if (dim == -1) return linalg_vector_norm(v, Scalar(pow));
  const auto kept =
      static_cast<int64_t>(wrap_dim(dim, static_cast<size_t>(v.dim()), "norm_except_dim"));
  const Sizes dims = other_dims(v, kept);
  if (dims.empty()) return linalg_vector_norm(v.unsqueeze(-1), Scalar(pow), {-1}, false);
  return linalg_vector_norm(v, Scalar(pow), dims, true);
}

}  // namespace opwright
