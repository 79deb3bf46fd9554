// The gradients of losses and of their backward operators.
//
// A backward operator gives grad_output * slope, over the count for a mean; it is linear in
// grad_output, so the gradient of that is the same operator.
#pragma once

#include <cstdint>
#include <optional>

#include "opwright/tensor.h"

namespace opwright {

// The gradient of self for mse_loss_backward, smooth_l1_loss_backward and huber_loss_backward, in
// the sizes that the operands broadcast to; that of target is its negative.
[[nodiscard]] Tensor mse_loss_curvature(const Tensor& grad, const Tensor& grad_output,
                                        int64_t reduction);
[[nodiscard]] Tensor smooth_l1_loss_curvature(const Tensor& grad, const Tensor& grad_output,
                                              const Tensor& self, const Tensor& target,
                                              int64_t reduction, double beta);
[[nodiscard]] Tensor huber_loss_curvature(const Tensor& grad, const Tensor& grad_output,
                                          const Tensor& self, const Tensor& target,
                                          int64_t reduction, double delta);

// Of binary_cross_entropy.
[[nodiscard]] Tensor binary_cross_entropy_target_gradient(const Tensor& grad, const Tensor& self,
                                                          const std::optional<Tensor>& weight,
                                                          int64_t reduction);
[[nodiscard]] Tensor binary_cross_entropy_weight_gradient(const Tensor& grad, const Tensor& self,
                                                          const Tensor& target,
                                                          const std::optional<Tensor>& weight,
                                                          int64_t reduction);
// Of binary_cross_entropy_backward.
[[nodiscard]] Tensor binary_cross_entropy_curvature(const Tensor& grad, const Tensor& grad_output,
                                                    const Tensor& self, const Tensor& target,
                                                    const std::optional<Tensor>& weight,
                                                    int64_t reduction);
[[nodiscard]] Tensor binary_cross_entropy_backward_target_gradient(
    const Tensor& grad, const Tensor& grad_output, const Tensor& self,
    const std::optional<Tensor>& weight, int64_t reduction);

// `tensor` as it is broadcast with `other`; itself where nothing is to be repeated.
[[nodiscard]] Tensor expand_with(const Tensor& tensor, const Tensor& other);

// A gradient that no formula gives: NotImplementedError. "who: the gradient of 'name' ...".
[[noreturn]] Tensor refuse_gradient(const Tensor& grad, const char* who, const char* name);

}  // namespace opwright
