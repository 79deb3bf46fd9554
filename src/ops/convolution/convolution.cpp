// convolution and convolution_backward.
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/convolution/convolution_kernel.h"
#include "opwright/ops/convolution/convolution_shape.h"
#include "opwright/ops/convolution/device_convolution.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/product/tensor_product.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/output_mask.h"
#include "opwright/symbolic/shape_env/demand.h"

namespace opwright {
namespace {

constexpr const char* kForward = "convolution";
constexpr const char* kBackward = "convolution_backward";

ConvolutionPlan make_plan(const Tensor& input, const Tensor& weight,
                          const ConvolutionShape<int64_t>& shape) {
  ConvolutionPlan plan{.batch = input.size(0),
                       .groups = shape.groups,
                       .in_channels = input.size(1) / shape.groups,
                       .out_channels = shape.output[1] / shape.groups,
                       .input = {1, 1, 1},
                       .kernel = {1, 1, 1},
                       .output = {1, 1, 1},
                       .stride = {1, 1, 1},
                       .padding = {0, 0, 0},
                       .dilation = {1, 1, 1},
                       .transposed = shape.transposed};
  const size_t ndim = shape.stride.size();
  for (size_t i = 0; i < ndim; ++i) {
    const size_t axis = 3 - ndim + i;
    const auto dim = static_cast<int64_t>(i) + 2;
    plan.input[axis] = input.size(dim);
    plan.kernel[axis] = weight.size(dim);
    plan.output[axis] = shape.output[i + 2];
    plan.stride[axis] = shape.stride[i];
    plan.padding[axis] = shape.padding[i];
    plan.dilation[axis] = shape.dilation[i];
  }
  return plan;
}

// Contiguous, in the compute dtype.
Tensor as_operand(const Tensor& tensor) {
  return as_contiguous(as_dtype(tensor, product_dtype(tensor.dtype())));
}

// Converts a computed, contiguous tensor to the dtype and strides of the result.
Tensor as_result(const Tensor& computed, DType dtype, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous) return as_dtype(computed, dtype);
  Tensor result =
      make_empty_strided(computed.sizes(), convolution_strides(computed.sizes(), format), dtype);
  copy_elements(result, computed);
  return result;
}

template <class Body>
void for_convolved(DType dtype, const char* who, const Body& body) {
  for_dtype(dtype, who, [&]<typename T>() {
    if constexpr (!kIsBool<T> && !kIsHalf<T>) body.template operator()<T>();
  });
}

template <class T>
const T* data_of(const Tensor& tensor) {
  return tensor.numel() == 0 ? nullptr : tensor.data<T>();
}

Tensor compute_convolution(const char* who, const ConvolutionPlan& plan, const Tensor& input,
                           const Tensor& weight, const Tensor* bias,
                           std::span<const int64_t> sizes) {
  Tensor output = make_empty(sizes, input.dtype());
  if (output.numel() == 0) return output;
  for_convolved(input.dtype(), who, [&]<typename T>() {
    convolve(plan, data_of<T>(input), data_of<T>(weight), bias ? data_of<T>(*bias) : nullptr,
             output.mutable_data<T>());
  });
  return output;
}

// For a transposed convolution, input and gradient are swapped.
Tensor compute_weight_gradient(const ConvolutionPlan& plan, const Tensor& input,
                               const Tensor& grad_output, std::span<const int64_t> sizes) {
  Tensor gradient = make_empty(sizes, input.dtype());
  if (gradient.numel() == 0) return gradient;
  for_convolved(input.dtype(), kBackward, [&]<typename T>() {
    if (plan.transposed)
      find_weight_gradient(plan.reversed(), data_of<T>(grad_output), data_of<T>(input),
                           gradient.mutable_data<T>());
    else
      find_weight_gradient(plan, data_of<T>(input), data_of<T>(grad_output),
                           gradient.mutable_data<T>());
  });
  return gradient;
}

// The sum over images and positions.
Tensor compute_bias_gradient(const Tensor& grad_output) {
  const int64_t channels = grad_output.size(1);
  const Tensor gradient = make_empty(std::array{channels}, grad_output.dtype());
  const int64_t lines = grad_output.size(0) * channels;
  const int64_t count = lines == 0 ? 0 : grad_output.numel() / lines;
  for_convolved(grad_output.dtype(), kBackward, [&]<typename T>() {
    using Sum = std::conditional_t<std::is_same_v<T, float>, double, T>;
    T* to = gradient.mutable_data<T>();
    const T* from = data_of<T>(grad_output);
    parallel_for(channels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t channel = begin; channel < end; ++channel) {
        Sum sum{};
        for (int64_t line = channel; line < lines; line += channels) {
          for (int64_t i = 0; i < count; ++i)
            sum = wrap_add(sum, static_cast<Sum>(from[line * count + i]));
        }
        to[channel] = static_cast<T>(sum);
      }
    });
  });
  return gradient;
}

// The same for results computed on a device.
Tensor as_result_on_device(const Tensor& computed, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous) return computed.contiguous();
  Tensor result =
      make_empty_strided(computed.sizes(), convolution_strides(computed.sizes(), format),
                         computed.dtype(), computed.device());
  result.copy_(computed);
  return result;
}

template <class AnyTensor>
void check_gradient(const AnyTensor& grad_output, const AnyTensor& input,
                    const ConvolutionShape<SizeOf<AnyTensor>>& shape,
                    std::span<const bool> output_mask) {
  using Int = SizeOf<AnyTensor>;
  check_output_mask(kBackward, output_mask, 3);
  OPWRIGHT_CHECK_TYPE(grad_output.dtype() == input.dtype(), kBackward,
                      ": grad_output must have the dtype of input, got ", grad_output.dtype(),
                      " and ", input.dtype());
  OPWRIGHT_DEMAND(have_same_sizes(grad_output.sizes(), shape.output), kBackward,
                  ": grad_output must have the sizes ", to_text(std::span<const Int>(shape.output)),
                  " of the result, got ", sizes_text(grad_output));
}

}  // namespace

Tensor convolution_cpu(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                       std::span<const int64_t> stride, std::span<const int64_t> padding,
                       std::span<const int64_t> dilation, bool transposed,
                       std::span<const int64_t> output_padding, int64_t groups) {
  const auto shape = find_convolution_shape<Tensor>(
      kForward, input, weight, {stride, padding, dilation, transposed, output_padding, groups});
  check_bias(kForward, bias, input, shape.output[1]);
  const Tensor wide_bias = bias ? as_operand(*bias) : Tensor();
  const Tensor output =
      compute_convolution(kForward, make_plan(input, weight, shape), as_operand(input),
                          as_operand(weight), bias ? &wide_bias : nullptr, shape.output);
  return as_result(output, input.dtype(), convolution_format(input, weight));
}

Tensor convolution_all_devices(const Tensor& input, const Tensor& weight,
                               const std::optional<Tensor>& bias, std::span<const int64_t> stride,
                               std::span<const int64_t> padding, std::span<const int64_t> dilation,
                               bool transposed, std::span<const int64_t> output_padding,
                               int64_t groups) {
  const auto shape = find_convolution_shape<Tensor>(
      kForward, input, weight, {stride, padding, dilation, transposed, output_padding, groups});
  check_bias(kForward, bias, input, shape.output[1]);
  Tensor output = transposed ? convolve_back_on_device(input, weight, shape, shape.output)
                             : convolve_on_device(input, weight, shape, shape.output);
  if (bias) {
    Sizes channels(shape.output.size(), 1);
    channels[1] = shape.output[1];
    output.add_(bias->reshape(channels));
  }
  return as_result_on_device(output, convolution_format(input, weight));
}

FakeTensor convolution_fake(const FakeTensor& input, const FakeTensor& weight,
                            const std::optional<FakeTensor>& bias, std::span<const SymInt> stride,
                            std::span<const SymInt> padding, std::span<const SymInt> dilation,
                            bool transposed, std::span<const SymInt> output_padding,
                            const SymInt& groups) {
  const auto shape = find_convolution_shape<FakeTensor>(
      kForward, input, weight, {stride, padding, dilation, transposed, output_padding, groups});
  check_bias(kForward, bias, input, shape.output[1]);
  const MemoryFormat format = convolution_format(as_tensor(input), as_tensor(weight));
  return make_fake_like(input, shape.output, convolution_strides(shape.output, format),
                        input.dtype());
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward_cpu(
    const Tensor& grad_output, const Tensor& input, const Tensor& weight,
    std::optional<std::span<const int64_t>> /*bias_sizes*/, std::span<const int64_t> stride,
    std::span<const int64_t> padding, std::span<const int64_t> dilation, bool transposed,
    std::span<const int64_t> output_padding, int64_t groups, std::span<const bool> output_mask) {
  const auto shape = find_convolution_shape<Tensor>(
      kBackward, input, weight, {stride, padding, dilation, transposed, output_padding, groups});
  check_gradient(grad_output, input, shape, output_mask);
  const ConvolutionPlan plan = make_plan(input, weight, shape);
  const DType dtype = input.dtype();
  const MemoryFormat format = convolution_format(input, weight);
  const Tensor grad = as_operand(grad_output);
  std::tuple<Tensor, Tensor, Tensor> gradients;
  if (output_mask[0]) {
    const Tensor of_input = compute_convolution(kBackward, plan.reversed(), grad,
                                                as_operand(weight), nullptr, input.sizes());
    std::get<0>(gradients) = as_result(of_input, dtype, format);
  }
  if (output_mask[1]) {
    const Tensor of_weight = compute_weight_gradient(plan, as_operand(input), grad, weight.sizes());
    std::get<1>(gradients) = as_result(of_weight, dtype, format);
  }
  if (output_mask[2]) std::get<2>(gradients) = as_dtype(compute_bias_gradient(grad), dtype);
  return gradients;
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward_all_devices(
    const Tensor& grad_output, const Tensor& input, const Tensor& weight,
    std::optional<std::span<const int64_t>> /*bias_sizes*/, std::span<const int64_t> stride,
    std::span<const int64_t> padding, std::span<const int64_t> dilation, bool transposed,
    std::span<const int64_t> output_padding, int64_t groups, std::span<const bool> output_mask) {
  const auto shape = find_convolution_shape<Tensor>(
      kBackward, input, weight, {stride, padding, dilation, transposed, output_padding, groups});
  check_gradient(grad_output, input, shape, output_mask);
  const MemoryFormat format = convolution_format(input, weight);
  std::tuple<Tensor, Tensor, Tensor> gradients;
  if (output_mask[0]) {
    const auto convolve_for_input = transposed ? &convolve_on_device : &convolve_back_on_device;
    std::get<0>(gradients) =
        as_result_on_device(convolve_for_input(grad_output, weight, shape, input.sizes()), format);
  }
  if (output_mask[1]) {
    const Tensor& image = transposed ? grad_output : input;
    const Tensor& places = transposed ? input : grad_output;
    std::get<1>(gradients) = as_result_on_device(
        find_weight_gradient_on_device(image, places, shape, weight.sizes()), format);
  }
  if (output_mask[2]) {
    std::vector<int64_t> others{0};
    for (int64_t i = 2; i < grad_output.dim(); ++i) others.push_back(i);
    std::get<2>(gradients) = grad_output.sum(others);
  }
  return gradients;
}

std::tuple<FakeTensor, FakeTensor, FakeTensor> convolution_backward_fake(
    const FakeTensor& grad_output, const FakeTensor& input, const FakeTensor& weight,
    std::optional<std::span<const SymInt>> /*bias_sizes*/, std::span<const SymInt> stride,
    std::span<const SymInt> padding, std::span<const SymInt> dilation, bool transposed,
    std::span<const SymInt> output_padding, const SymInt& groups,
    std::span<const bool> output_mask) {
  const auto shape = find_convolution_shape<FakeTensor>(
      kBackward, input, weight, {stride, padding, dilation, transposed, output_padding, groups});
  check_gradient(grad_output, input, shape, output_mask);
  const DType dtype = input.dtype();
  const MemoryFormat format = convolution_format(as_tensor(input), as_tensor(weight));
  const auto make_gradient = [&](bool is_wanted, std::span<const SymInt> sizes) {
    if (!is_wanted) return FakeTensor();
    if (sizes.size() == 1) return make_fake_like(input, sizes, dtype);
    return make_fake_like(input, sizes, convolution_strides(sizes, format), dtype);
  };
  return {make_gradient(output_mask[0], input.sizes()),
          make_gradient(output_mask[1], weight.sizes()),
          make_gradient(output_mask[2], SymSizes{shape.output[1]})};
}

}  // namespace opwright
