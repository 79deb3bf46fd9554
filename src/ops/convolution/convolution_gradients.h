// The gradients of convolution and of convolution_backward.
#pragma once

#include <optional>
#include <span>
#include <tuple>

#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// How a convolution moves over its input, as both operators take it.
struct ConvolutionSteps {
  std::span<const SymInt> stride, padding, dilation;
  bool transposed;
  std::span<const SymInt> output_padding;
  const SymInt& groups;
};
// Which of three gradients are asked for.
struct WantedGradients {
  bool first, second, third;
};

// Of input, weight and bias.
[[nodiscard]] std::tuple<Tensor, Tensor, Tensor> convolution_gradients(
    const Tensor& grad, const Tensor& input, const Tensor& weight, const ConvolutionSteps& steps,
    const WantedGradients& wanted);

// Of grad_output, input and weight; gradients of results that are not there are undefined.
[[nodiscard]] std::tuple<Tensor, Tensor, Tensor> convolution_backward_gradients(
    const std::tuple<Tensor, Tensor, Tensor>& grads, const Tensor& grad_output, const Tensor& input,
    const Tensor& weight, const ConvolutionSteps& steps, const WantedGradients& wanted);

}  // namespace opwright
