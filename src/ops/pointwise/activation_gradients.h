// Second derivatives of activations: how their *_backward operators depend on the input.
//
// `grad` is the gradient of the operator's result, `grad_output` is its argument.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "opwright/scalar.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

[[nodiscard]] Tensor gelu_curvature(const Tensor& self, std::string_view approximate);
[[nodiscard]] Tensor silu_curvature(const Tensor& self);
[[nodiscard]] Tensor mish_curvature(const Tensor& self);
[[nodiscard]] Tensor softplus_curvature(const Tensor& self, const Scalar& beta,
                                        const Scalar& threshold);
[[nodiscard]] Tensor elu_second_gradient(const Tensor& grad, const Scalar& alpha,
                                         const Scalar& scale, const Scalar& input_scale,
                                         bool is_result, const Tensor& self_or_result);
[[nodiscard]] Scalar reciprocal(const Scalar& number);

// For _prelu_kernel_backward: gradients of grad_output, self, weight.
[[nodiscard]] std::tuple<Tensor, Tensor, Tensor> prelu_second_gradients(const Tensor& grad_input,
                                                                        const Tensor& grad_weight,
                                                                        const Tensor& grad_output,
                                                                        const Tensor& self,
                                                                        const Tensor& weight);
// For glu_backward: gradients of grad_output, self.
[[nodiscard]] std::tuple<Tensor, Tensor> glu_second_gradients(const Tensor& grad,
                                                              const Tensor& grad_output,
                                                              const Tensor& self, int64_t dim);

}  // namespace opwright
