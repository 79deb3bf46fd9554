// Gradients of reductions. If `dim` is missing or empty, all dimensions were reduced.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "opwright/scalar.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

using OptionalDims = std::optional<std::span<const int64_t>>;

// A result, or its gradient, with the reduced dimensions restored as size 1.
[[nodiscard]] Tensor restore_dims(const Tensor& reduced, int64_t ndim, const OptionalDims& dim,
                                  bool keepdim);

[[nodiscard]] Tensor sum_gradient(const Tensor& grad, std::span<const SymInt> sizes,
                                  const OptionalDims& dim, bool keepdim);
[[nodiscard]] Tensor mean_gradient(const Tensor& grad, std::span<const SymInt> sizes,
                                   const OptionalDims& dim, bool keepdim);
// Distributes the gradient evenly over the elements equal to the result.
[[nodiscard]] Tensor extreme_gradient(const Tensor& grad, const Tensor& self, const Tensor& result,
                                      const OptionalDims& dim, bool keepdim);
// The same over all elements; NaN equals a NaN result.
[[nodiscard]] Tensor extreme_gradient(const Tensor& grad, const Tensor& self, const Tensor& result);
// Passes the gradient to the element that was chosen along `dim`.
[[nodiscard]] Tensor chosen_along_gradient(const Tensor& grad, std::span<const SymInt> sizes,
                                           const Tensor& indices, int64_t dim, bool keepdim);

[[nodiscard]] Tensor var_gradient(const Tensor& grad, const Tensor& self, const OptionalDims& dim,
                                  const std::optional<Scalar>& correction, bool keepdim);
[[nodiscard]] Tensor std_gradient(const Tensor& grad, const Tensor& self, const Tensor& result,
                                  const OptionalDims& dim, const std::optional<Scalar>& correction,
                                  bool keepdim);
// For two results, one of which may have no gradient.
[[nodiscard]] Tensor var_mean_gradient(const Tensor& grad_var, const Tensor& grad_mean,
                                       const Tensor& self, const OptionalDims& dim,
                                       const std::optional<Scalar>& correction, bool keepdim);
[[nodiscard]] Tensor std_mean_gradient(const Tensor& grad_std, const Tensor& grad_mean,
                                       const Tensor& self, const Tensor& std,
                                       const OptionalDims& dim,
                                       const std::optional<Scalar>& correction, bool keepdim);

[[nodiscard]] Tensor norm_gradient(const Tensor& grad, const Tensor& self,
                                   const std::optional<Scalar>& p, const Tensor& result,
                                   const OptionalDims& dim, bool keepdim);
[[nodiscard]] Tensor logsumexp_gradient(const Tensor& grad, const Tensor& self,
                                        const Tensor& result, std::span<const int64_t> dim,
                                        bool keepdim);
[[nodiscard]] Tensor trace_gradient(const Tensor& grad, std::span<const SymInt> sizes);

// ---- softmax
[[nodiscard]] Tensor softmax_second_gradient(const Tensor& grad, const Tensor& grad_output,
                                             const Tensor& output, int64_t dim);

}  // namespace opwright
