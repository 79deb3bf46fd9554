// Decompositions of means, variances and vector norms into sums and extrema.
#include <cmath>
#include <optional>

#include "opwright/ops/engine/reduction/reduction.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/rule/decomposition.h"

namespace opwright {
namespace {

using OptionalScalar = std::optional<Scalar>;

// All dimensions if none is given.
Sizes folded_dims(const char* who, const Tensor& self, const OptionalDims& dim) {
  const DimSet folded = fold_dims(who, self.dim(), dim);
  Sizes dims;
  for (int64_t i = 0; i < self.dim(); ++i) {
    if (folded[static_cast<size_t>(i)]) dims.push_back(i);
  }
  return dims;
}
SymInt count_along(const Tensor& self, const Sizes& dims) {
  SymInt count = 1;
  for (const int64_t dim : dims) count = count * self.sym_size(dim);
  return count;
}

Tensor mean_of(const Tensor& self, const OptionalDims& dim, bool keepdim,
               const std::optional<DType>& asked) {
  const DType dtype = asked.value_or(self.dtype());
  const Sizes dims = folded_dims("mean", self, dim);
  const Tensor sum = widened(in_dtype(self, dtype)).sum(dims, keepdim);
  return in_dtype(sum.div(Scalar(count_along(self, dims))), dtype);
}

// The sum of squared deviations divided by the count minus the correction, at least 0.
Tensor divided(const Tensor& sum, const SymInt& count, double correction) {
  if (!count.is_symbolic()) {
    const auto known = static_cast<double>(count.specialise());
    const double left = known - correction;
    return sum.div(Scalar(left > 0 && known > 0 ? left : 0.0));
  }
  if (std::floor(correction) == correction)
    return sum.div(Scalar(sym_max(count - static_cast<int64_t>(correction), 0)));
  const Tensor left =
      full({}, Scalar(count), sum.dtype(), {}, sum.device()).sub(Scalar(correction));
  return sum.div(left.clamp(Scalar(0)));
}

// In the compute dtype.
Tensor decomposed_variance(const Tensor& self, const OptionalDims& dim, double correction,
                           bool keepdim) {
  const Sizes dims = folded_dims("var", self, dim);
  const Tensor x = widened(self);
  const Tensor distance = x.sub(x.mean(dims, true));
  const Tensor centered = is_complex(x.dtype()) ? distance.abs() : distance;
  return divided(centered.mul(centered).sum(dims, keepdim), count_along(self, dims), correction);
}

double correction_of(const OptionalScalar& correction) {
  return correction ? correction->to<double>() : 1.0;
}

Tensor decomposed_norm(const Tensor& x, double order, const Sizes& dims, bool keepdim) {
  if (order == 0) return in_dtype(x.ne(0), x.dtype()).sum(dims, keepdim);
  if (order == 2) return x.mul(x).sum(dims, keepdim).sqrt();
  const Tensor magnitudes = x.abs();
  if (order == 1) return magnitudes.sum(dims, keepdim);
  if (std::isinf(order))
    return order > 0 ? magnitudes.amax(dims, keepdim) : magnitudes.amin(dims, keepdim);
  return magnitudes.pow(Scalar(order)).sum(dims, keepdim).pow(Scalar(1.0 / order));
}

}  // namespace

Tensor mean_decomposition(const Tensor& self, const std::optional<DType>& dtype) {
  return mean_of(self, std::nullopt, false, dtype);
}
Tensor mean_dims_decomposition(const Tensor& self, OptionalDims dim, bool keepdim,
                               const std::optional<DType>& dtype) {
  return mean_of(self, dim, keepdim, dtype);
}

Tensor var_dim_decomposition(const Tensor& self, OptionalDims dim, bool unbiased, bool keepdim) {
  return in_dtype(decomposed_variance(self, dim, unbiased ? 1.0 : 0.0, keepdim),
                  real_dtype(self.dtype()));
}
Tensor var_correction_decomposition(const Tensor& self, OptionalDims dim,
                                    const OptionalScalar& correction, bool keepdim) {
  return in_dtype(decomposed_variance(self, dim, correction_of(correction), keepdim),
                  real_dtype(self.dtype()));
}
Tensor std_correction_decomposition(const Tensor& self, OptionalDims dim,
                                    const OptionalScalar& correction, bool keepdim) {
  const Tensor variance = decomposed_variance(self, dim, correction_of(correction), keepdim);
  return in_dtype(variance.sqrt(), real_dtype(self.dtype()));
}

Tensor linalg_vector_norm_decomposition(const Tensor& self, const Scalar& ord, OptionalDims dim,
                                        bool keepdim, const std::optional<DType>& dtype) {
  const DType asked = dtype.value_or(self.dtype());
  const Tensor given = in_dtype(self, asked);
  const Tensor x = is_complex(asked) ? given.abs() : widened(given);
  const Sizes dims = folded_dims("linalg_vector_norm", self, dim);
  return in_dtype(decomposed_norm(x, ord.to<double>(), dims, keepdim), real_dtype(asked));
}

}  // namespace opwright
