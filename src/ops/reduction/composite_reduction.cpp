// Reductions as composites: norm, logsumexp, count_nonzero, trace, and similarities and distances
// of vectors.
#include <limits>
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/reduction/reduction.h"  // IWYU pragma: keep
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/rule/decomposition.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using OptionalScalar = std::optional<Scalar>;

Scalar order_of(const OptionalScalar& p) { return p ? *p : Scalar(2); }

// All dimensions if none is given.
Sizes named_dims(const char* who, const Tensor& self, std::span<const int64_t> dim) {
  const DimSet folded = fold_dims(who, self.dim(), dim);
  Sizes dims;
  for (int64_t i = 0; i < self.dim(); ++i) {
    if (folded[static_cast<size_t>(i)]) dims.push_back(i);
  }
  return dims;
}

}  // namespace

Tensor norm_scalar_all_devices(const Tensor& self, const Scalar& p) {
  return linalg_vector_norm(self, p);
}
Tensor norm_dim_all_devices(const Tensor& self, const OptionalScalar& p,
                            std::span<const int64_t> dim, bool keepdim) {
  return linalg_vector_norm(self, order_of(p), dim, keepdim);
}
Tensor norm_dim_dtype_all_devices(const Tensor& self, const OptionalScalar& p,
                                  std::span<const int64_t> dim, bool keepdim, DType dtype) {
  return linalg_vector_norm(self, order_of(p), dim, keepdim, dtype);
}
Tensor norm_dtype_all_devices(const Tensor& self, const OptionalScalar& p, DType dtype) {
  return linalg_vector_norm(self, order_of(p), std::nullopt, false, dtype);
}

Tensor logsumexp_all_devices(const Tensor& self, std::span<const int64_t> dim, bool keepdim) {
  const Tensor x = in_dtype(self, inexact_dtype(self.dtype()));
  const Sizes dims = named_dims("logsumexp", self, dim);
  if (guard_or_false(self.sym_numel() == 0)) return x.exp().sum(dims, keepdim).log();
  // If the largest is infinite, differences from it would be NaN.
  const Tensor ordered = in_dtype(x, real_dtype(x.dtype()));  // its real part
  const Tensor found = ordered.amax(dims, true);
  const Tensor largest =
      where(found.abs().eq(std::numeric_limits<double>::infinity()), Scalar(0), found);
  const Tensor sums = x.sub(largest).exp().sum(dims, keepdim);
  return sums.log().add(keepdim ? largest : largest.squeeze(dims));
}

Tensor count_nonzero_all_devices(const Tensor& self, const std::optional<int64_t>& dim) {
  const Tensor is_nonzero = self.ne(0);
  return dim ? is_nonzero.sum({*dim}) : is_nonzero.sum();
}
Tensor count_nonzero_dims_all_devices(const Tensor& self, std::span<const int64_t> dim) {
  return self.ne(0).sum(dim);
}

Tensor trace_all_devices(const Tensor& self) {
  OPWRIGHT_CHECK(self.dim() == 2, "trace: self must have two dimensions, got ", self);
  return self.diagonal().sum();
}

Tensor cosine_similarity_composite(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  const DType dtype = result_dtype(x1, x2);
  OPWRIGHT_CHECK_TYPE(is_floating(dtype) || is_complex(dtype),
                      "cosine_similarity: x1 and x2 must promote to a floating dtype, got ", dtype);
  const auto of_length_one = [&](const Tensor& given) {
    const Tensor x = given.to(dtype);
    return x.div(linalg_vector_norm(x, 2, std::span(&dim, 1), true).clamp(Scalar(eps)));
  };
  const SymSizes sizes =
      broadcast_sizes(sym_geometry_of(x1).sizes, sym_geometry_of(x2).sizes, "cosine_similarity");
  return of_length_one(x1.expand(sizes)).mul(of_length_one(x2.expand(sizes))).sum({dim});
}

Tensor pairwise_distance_composite(const Tensor& x1, const Tensor& x2, double p, double eps,
                                   bool keepdim) {
  const int64_t last = -1;
  return linalg_vector_norm(x1.sub(x2).add(eps), p, std::span(&last, 1), keepdim);
}

}  // namespace opwright
