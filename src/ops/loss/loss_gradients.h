// Gradients of losses and of their backward operators.
//
// A backward operator returns grad_output * slope, divided by the count for a mean; it is linear in
// grad_output, so the gradient with respect to that is the same operator.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// Gradient of self for mse_loss_backward, smooth_l1_loss_backward and huber_loss_backward, in the
// broadcast sizes; that of target is its negative.
[[nodiscard]] Tensor mse_loss_curvature(const Tensor& grad, const Tensor& grad_output,
                                        int64_t reduction);
[[nodiscard]] Tensor smooth_l1_loss_curvature(const Tensor& grad, const Tensor& grad_output,
                                              const Tensor& self, const Tensor& target,
                                              int64_t reduction, double beta);
[[nodiscard]] Tensor huber_loss_curvature(const Tensor& grad, const Tensor& grad_output,
                                          const Tensor& self, const Tensor& target,
                                          int64_t reduction, double delta);

// For binary_cross_entropy.
[[nodiscard]] Tensor binary_cross_entropy_target_gradient(const Tensor& grad, const Tensor& self,
                                                          const std::optional<Tensor>& weight,
                                                          int64_t reduction);
[[nodiscard]] Tensor binary_cross_entropy_weight_gradient(const Tensor& grad, const Tensor& self,
                                                          const Tensor& target,
                                                          const std::optional<Tensor>& weight,
                                                          int64_t reduction);
// For binary_cross_entropy_backward.
[[nodiscard]] Tensor binary_cross_entropy_curvature(const Tensor& grad, const Tensor& grad_output,
                                                    const Tensor& self, const Tensor& target,
                                                    const std::optional<Tensor>& weight,
                                                    int64_t reduction);
[[nodiscard]] Tensor binary_cross_entropy_backward_target_gradient(
    const Tensor& grad, const Tensor& grad_output, const Tensor& self,
    const std::optional<Tensor>& weight, int64_t reduction);

// For multilabel_margin_loss_backward: the gradient of grad_output, of `sizes`.
[[nodiscard]] Tensor multilabel_margin_directional(const Tensor& grad,
                                                   std::span<const SymInt> sizes,
                                                   const Tensor& self, const Tensor& target,
                                                   int64_t reduction, const Tensor& is_target);

// `tensor` broadcast with `other`; `tensor` itself if it has those sizes already.
[[nodiscard]] Tensor expand_with(const Tensor& tensor, const Tensor& other);

// NotImplementedError for a gradient that is not implemented: "who: the gradient of 'name' ...".
[[noreturn]] Tensor refuse_gradient(const Tensor& grad, const char* who, const char* name);

}  // namespace opwright
