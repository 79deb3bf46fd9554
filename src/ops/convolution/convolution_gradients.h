// Gradients of convolution and of convolution_backward.
#pragma once

#include <optional>
#include <span>
#include <tuple>

#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// The stride, padding etc. arguments that both operators have.
struct ConvolutionSteps {
  std::span<const SymInt> stride, padding, dilation;
  bool transposed;
  std::span<const SymInt> output_padding;
  const SymInt& groups;
};
// Which of three gradients are requested.
struct WantedGradients {
  bool first, second, third;
};

// Gradients of input, weight and bias.
[[nodiscard]] std::tuple<Tensor, Tensor, Tensor> convolution_gradients(
    const Tensor& grad, const Tensor& input, const Tensor& weight, const ConvolutionSteps& steps,
    const WantedGradients& wanted);

// Gradients of grad_output, input and weight; missing gradients of results are undefined.
[[nodiscard]] std::tuple<Tensor, Tensor, Tensor> convolution_backward_gradients(
    const std::tuple<Tensor, Tensor, Tensor>& grads, const Tensor& grad_output, const Tensor& input,
    const Tensor& weight, const ConvolutionSteps& steps, const WantedGradients& wanted);

}  // namespace opwright
