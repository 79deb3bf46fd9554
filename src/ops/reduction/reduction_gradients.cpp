#include "opwright/ops/reduction/reduction_gradients.h"

#include <cmath>
#include <limits>
#include <vector>

#include "opwright/functions.h"
#include "opwright/ops/rule/gradient_rule.h"

namespace opwright {
namespace {

std::vector<int64_t> reduced_dims(int64_t ndim, const OptionalDims& dim) {
  std::vector<int64_t> dims;
  if (dim && !dim->empty()) {
    for (const int64_t each : *dim) dims.push_back(each < 0 ? each + ndim : each);
  } else {
    for (int64_t i = 0; i < ndim; ++i) dims.push_back(i);
  }
  if (ndim == 0) dims.clear();
  return dims;
}

template <class Sizes>
SymInt reduced_count(const Sizes& sizes, const OptionalDims& dim) {
  SymInt count = 1;
  for (const int64_t each : reduced_dims(static_cast<int64_t>(sizes.size()), dim))
    count = count * sizes[static_cast<size_t>(each)];
  return count;
}

std::vector<SymInt> all_sizes(const Tensor& tensor) {
  std::vector<SymInt> sizes;
  for (int64_t i = 0; i < tensor.dim(); ++i) sizes.push_back(tensor.sym_size(i));
  return sizes;
}

Tensor or_nan(const Tensor& are_equal, const Tensor& self, const Tensor& result) {
  if (is_integral(self.dtype()) || self.dtype() == DType::Bool) return are_equal;
  return logical_or(are_equal, logical_and(self.isnan(), result.isnan()));
}

// `grad` and `norm` have size 1 in the reduced dimensions.
Tensor power_norm_gradient(const Tensor& grad, const Tensor& self, double p, const Tensor& norm) {
  if (p < 1) {
    const Tensor slope = self.abs().pow(p - 1).masked_fill(self.eq(0), 0);
    return self.sgn() * slope * (grad * norm.pow(1 - p));
  }
  const Tensor scale = (grad / norm.pow(p - 1)).masked_fill(norm.eq(0), 0);
  if (p < 2) return self.sgn() * self.abs().pow(p - 1) * scale;
  return self * self.abs().pow(p - 2) * scale;
}

Tensor infinity_norm_gradient(const Tensor& grad, const Tensor& self, const Tensor& norm,
                              const std::vector<int64_t>& dims) {
  const Tensor size = self.abs();
  const Tensor is_norm = or_nan(size.eq(norm), size, norm);
  const Tensor count = dims.empty() ? ones_like(grad) : is_norm.sum(dims, true);
  return self.sgn() * where(is_norm, grad / count, 0);
}

}  // namespace

Tensor restore_dims(const Tensor& reduced, int64_t ndim, const OptionalDims& dim, bool keepdim) {
  if (keepdim || ndim == 0) return reduced;
  std::vector<int64_t> dims = reduced_dims(ndim, dim);
  if (dims.size() == static_cast<size_t>(ndim))
    return ndim == 1 ? reduced.unsqueeze(0)
                     : reduced.reshape(std::vector<SymInt>(static_cast<size_t>(ndim), 1));
  std::vector<bool> is_reduced(static_cast<size_t>(ndim));
  for (const int64_t each : dims) is_reduced[static_cast<size_t>(each)] = true;
  Tensor restored = reduced;
  for (int64_t i = 0; i < ndim; ++i) {
    if (is_reduced[static_cast<size_t>(i)]) restored = restored.unsqueeze(i);
  }
  return restored;
}

Tensor sum_gradient(const Tensor& grad, std::span<const SymInt> sizes, const OptionalDims& dim,
                    bool keepdim) {
  return restore_dims(grad, static_cast<int64_t>(sizes.size()), dim, keepdim).expand(sizes);
}
Tensor mean_gradient(const Tensor& grad, std::span<const SymInt> sizes, const OptionalDims& dim,
                     bool keepdim) {
  return sum_gradient(grad / Scalar(reduced_count(sizes, dim)), sizes, dim, keepdim);
}

Tensor extreme_gradient(const Tensor& grad, const Tensor& self, const Tensor& result,
                        const OptionalDims& dim, bool keepdim) {
  const std::vector<int64_t> dims = reduced_dims(self.dim(), dim);
  const Tensor is_result = self.eq(restore_dims(result, self.dim(), dim, keepdim));
  const Tensor restored = restore_dims(grad, self.dim(), dim, keepdim);
  if (dims.empty()) return where(is_result, grad, 0);
  return is_result * (restored / is_result.sum(dims, true));
}
Tensor extreme_gradient(const Tensor& grad, const Tensor& self, const Tensor& result) {
  const Tensor is_result = or_nan(self.eq(result), self, result);
  return is_result * (grad / is_result.sum());
}

Tensor chosen_along_gradient(const Tensor& grad, std::span<const SymInt> sizes,
                             const Tensor& indices, int64_t dim, bool keepdim) {
  if (sizes.empty()) return grad;
  const bool is_whole = keepdim;
  return grad.new_zeros(sizes).scatter(dim, is_whole ? indices : indices.unsqueeze(dim),
                                       is_whole ? grad : grad.unsqueeze(dim));
}

Tensor var_gradient(const Tensor& grad, const Tensor& self, const OptionalDims& dim,
                    const std::optional<Scalar>& correction, bool keepdim) {
  const double less = correction ? correction->to<double>() : 1.0;
  const SymInt count = reduced_count(all_sizes(self), dim);
  const std::vector<int64_t> dims = reduced_dims(self.dim(), dim);
  const Tensor center = dims.empty() ? self : self.mean(dims, true);
  const Tensor restored = restore_dims(grad, self.dim(), dim, keepdim);
  const double freedom = static_cast<double>(count.specialise()) - less;
  if (freedom <= 0) {
    const double infinite = std::numeric_limits<double>::infinity();
    return restored * where(self.eq(center), infinite, std::nan(""));
  }
  return restored * (self - center) * (2 / freedom);
}
Tensor std_gradient(const Tensor& grad, const Tensor& self, const Tensor& result,
                    const OptionalDims& dim, const std::optional<Scalar>& correction,
                    bool keepdim) {
  const Tensor of_var = (grad / (result * 2)).masked_fill(result.eq(0), 0);
  return var_gradient(of_var, self, dim, correction, keepdim);
}

Tensor var_mean_gradient(const Tensor& grad_var, const Tensor& grad_mean, const Tensor& self,
                         const OptionalDims& dim, const std::optional<Scalar>& correction,
                         bool keepdim) {
  Tensor gradient;
  if (grad_var.is_defined()) gradient = var_gradient(grad_var, self, dim, correction, keepdim);
  if (!grad_mean.is_defined()) return gradient;
  const Tensor of_mean = mean_gradient(grad_mean, all_sizes(self), dim, keepdim);
  return gradient.is_defined() ? gradient + of_mean : of_mean;
}
Tensor std_mean_gradient(const Tensor& grad_std, const Tensor& grad_mean, const Tensor& self,
                         const Tensor& std, const OptionalDims& dim,
                         const std::optional<Scalar>& correction, bool keepdim) {
  Tensor gradient;
  if (grad_std.is_defined()) gradient = std_gradient(grad_std, self, std, dim, correction, keepdim);
  if (!grad_mean.is_defined()) return gradient;
  const Tensor of_mean = mean_gradient(grad_mean, all_sizes(self), dim, keepdim);
  return gradient.is_defined() ? gradient + of_mean : of_mean;
}

Tensor norm_gradient(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& p,
                     const Tensor& result, const OptionalDims& dim, bool keepdim) {
  const double order = p ? p->to<double>() : 2.0;
  if (order == 0) return zeros_like(self);
  const Tensor restored = restore_dims(grad, self.dim(), dim, keepdim);
  const Tensor norm = restore_dims(result, self.dim(), dim, keepdim);
  if (order == 1) return self.sgn() * restored;
  if (order == 2) return restored * (self / norm).masked_fill(norm.eq(0), 0);
  if (std::isinf(order))
    return infinity_norm_gradient(restored, self, norm, reduced_dims(self.dim(), dim));
  return power_norm_gradient(restored, self, order, norm);
}

Tensor logsumexp_gradient(const Tensor& grad, const Tensor& self, const Tensor& result,
                          std::span<const int64_t> dim, bool keepdim) {
  const Tensor restored = restore_dims(grad, self.dim(), dim, keepdim);
  const Tensor total = restore_dims(result, self.dim(), dim, keepdim);
  return restored * conjugate((self - total).exp());
}

Tensor trace_gradient(const Tensor& grad, std::span<const SymInt> sizes) {
  return diagonal_scatter(grad.new_zeros(sizes), grad.expand({sym_min(sizes[0], sizes[1])}));
}

Tensor softmax_second_gradient(const Tensor& grad, const Tensor& grad_output, const Tensor& output,
                               int64_t dim) {
  const std::vector<int64_t> dims{dim};
  return grad * (grad_output - (output * grad_output).sum(dims, true)) -
         grad_output * (output * grad).sum(dims, true);
}

}  // namespace opwright
