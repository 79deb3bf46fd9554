#include "opwright/ops/convolution/convolution_gradients.h"

#include "opwright/functions.h"
#include "opwright/ops/rule/gradient_rule.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using Tensors = std::tuple<Tensor, Tensor, Tensor>;

Tensor call_convolution(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias, const ConvolutionSteps& steps) {
  return convolution(input, weight, bias, steps.stride, steps.padding, steps.dilation,
                     steps.transposed, steps.output_padding, steps.groups);
}

Tensors convolve_back(const Tensor& grad, const Tensor& input, const Tensor& weight,
                      const ConvolutionSteps& steps, const WantedGradients& wanted) {
  const SymInt channels[] = {grad.sym_size(1)};
  const bool mask[] = {wanted.first, wanted.second, wanted.third};
  return convolution_backward(grad, input, weight, std::span<const SymInt>(channels), steps.stride,
                              steps.padding, steps.dilation, steps.transposed, steps.output_padding,
                              steps.groups, mask);
}

// A number per channel, expanded to every position of `like`.
Tensor spread_channels(const Tensor& channels, const Tensor& like) {
  SymSizes sizes(static_cast<size_t>(like.dim()), SymInt(1));
  sizes[1] = channels.sym_size(0);
  return channels.view(sizes).expand(sym_geometry_of(like).sizes);
}

std::optional<Tensor> as_optional(const Tensor& tensor) {
  return tensor.is_defined() ? std::optional<Tensor>(tensor) : std::nullopt;
}

}  // namespace

Tensors convolution_gradients(const Tensor& grad, const Tensor& input, const Tensor& weight,
                              const ConvolutionSteps& steps, const WantedGradients& wanted) {
  return convolve_back(grad, conjugate(input), conjugate(weight), steps, wanted);
}

// All three results are linear in grad_output and in one more operand, so each gradient is a
// convolution, or the gradient of one, with a given gradient replacing that operand.
Tensors convolution_backward_gradients(const Tensors& grads, const Tensor& grad_output,
                                       const Tensor& input, const Tensor& weight,
                                       const ConvolutionSteps& steps,
                                       const WantedGradients& wanted) {
  const auto& [of_input, of_weight, of_bias] = grads;
  Tensors gradients;
  if (wanted.first) {
    Tensor& sum = std::get<0>(gradients);
    if (of_input.is_defined())
      sum = call_convolution(of_input, conjugate(weight), as_optional(of_bias), steps);
    if (of_weight.is_defined()) {
      const Tensor other = conjugate(input);
      const Tensor part = call_convolution(other, of_weight, std::nullopt, steps);
      sum = sum.is_defined() ? sum.add(part) : part;
    }
    if (of_bias.is_defined() && !of_input.is_defined()) {
      const Tensor part = spread_channels(of_bias, grad_output);
      sum = sum.is_defined() ? sum.add(part) : part;
    }
  }
  if (wanted.second && of_weight.is_defined())
    std::get<1>(gradients) = std::get<0>(
        convolve_back(conjugate(grad_output), input, of_weight, steps, {true, false, false}));
  if (wanted.third && of_input.is_defined())
    std::get<2>(gradients) = std::get<1>(
        convolve_back(conjugate(grad_output), of_input, weight, steps, {false, true, false}));
  return gradients;
}

}  // namespace opwright
