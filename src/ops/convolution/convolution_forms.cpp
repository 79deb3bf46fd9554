// conv1d to conv3d and conv_transpose1d to 3d, as composites of convolution.
#include <optional>
#include <span>
#include <string_view>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

struct ConvolutionArguments {
  const char* who;
  int64_t ndim;  // of an image
  std::span<const SymInt> stride, padding, dilation, output_padding;
  bool transposed;
  const SymInt& groups;
};

// An input without a batch becomes a batch of one.
Tensor convolve_form(const ConvolutionArguments& args, const Tensor& input, const Tensor& weight,
                     const std::optional<Tensor>& bias) {
  OPWRIGHT_CHECK(weight.dim() == args.ndim + 2, args.who, ": weight must have ", args.ndim + 2,
                 " dimensions, got ", weight.dim());
  OPWRIGHT_CHECK(input.dim() == args.ndim + 1 || input.dim() == args.ndim + 2, args.who,
                 ": input must have ", args.ndim + 1, " or, with a batch, ", args.ndim + 2,
                 " dimensions, got ", input.dim());
  const bool has_batch = input.dim() == args.ndim + 2;
  const Tensor result =
      convolution(has_batch ? input : input.unsqueeze(0), weight, bias, args.stride, args.padding,
                  args.dilation, args.transposed, args.output_padding, args.groups);
  return has_batch ? result : result.squeeze(0);
}

Tensor convolve_forward(const char* who, int64_t ndim, const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias, std::span<const SymInt> stride,
                        std::span<const SymInt> padding, std::span<const SymInt> dilation,
                        const SymInt& groups) {
  const SymSizes none{0};
  return convolve_form({who, ndim, stride, padding, dilation, none, false, groups}, input, weight,
                       bias);
}

// `padding` is "valid", none, or "same": preserves the sizes, with the odd element at the end.
Tensor convolve_named(const char* who, int64_t ndim, const Tensor& input, const Tensor& weight,
                      const std::optional<Tensor>& bias, std::span<const SymInt> stride,
                      std::string_view padding, std::span<const SymInt> dilation,
                      const SymInt& groups) {
  OPWRIGHT_CHECK(padding == "valid" || padding == "same", who,
                 ": padding must be numbers, 'valid' or 'same', got '", padding, "'");
  const SymSizes none{0};
  if (padding == "valid")
    return convolve_forward(who, ndim, input, weight, bias, stride, none, dilation, groups);
  for (const SymInt& step : stride)
    OPWRIGHT_CHECK(step == 1, who, ": padding 'same' needs a stride of 1, got ", to_text(stride));
  OPWRIGHT_CHECK(weight.dim() == ndim + 2, who, ": weight must have ", ndim + 2,
                 " dimensions, got ", weight.dim());
  SymSizes widths;
  SymSizes more(static_cast<size_t>(2 * ndim), 0);  // at the end, the last dimension first
  bool is_even = true;
  for (int64_t i = 0; i < ndim; ++i) {
    const auto index = static_cast<size_t>(i);
    const SymInt total =
        dilation[dilation.size() == 1 ? 0 : index] * (weight.sym_size(i + 2) - SymInt(1));
    widths.push_back(total / SymInt(2));
    SymInt& odd = more[2 * (static_cast<size_t>(ndim) - 1 - index) + 1];
    odd = total % SymInt(2);
    is_even = is_even && odd == 0;
  }
  return convolve_forward(who, ndim, is_even ? input : constant_pad_nd(input, more, 0), weight,
                          bias, stride, widths, dilation, groups);
}

Tensor convolve_transposed(const char* who, int64_t ndim, const Tensor& input, const Tensor& weight,
                           const std::optional<Tensor>& bias, std::span<const SymInt> stride,
                           std::span<const SymInt> padding, std::span<const SymInt> output_padding,
                           const SymInt& groups, std::span<const SymInt> dilation) {
  return convolve_form({who, ndim, stride, padding, dilation, output_padding, true, groups}, input,
                       weight, bias);
}

}  // namespace

Tensor conv1d_composite(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias, std::span<const SymInt> stride,
                        std::span<const SymInt> padding, std::span<const SymInt> dilation,
                        const SymInt& groups) {
  return convolve_forward("conv1d", 1, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv2d_composite(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias, std::span<const SymInt> stride,
                        std::span<const SymInt> padding, std::span<const SymInt> dilation,
                        const SymInt& groups) {
  return convolve_forward("conv2d", 2, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv3d_composite(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias, std::span<const SymInt> stride,
                        std::span<const SymInt> padding, std::span<const SymInt> dilation,
                        const SymInt& groups) {
  return convolve_forward("conv3d", 3, input, weight, bias, stride, padding, dilation, groups);
}

Tensor conv1d_padding_composite(const Tensor& input, const Tensor& weight,
                                const std::optional<Tensor>& bias, std::span<const SymInt> stride,
                                std::string_view padding, std::span<const SymInt> dilation,
                                const SymInt& groups) {
  return convolve_named("conv1d", 1, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv2d_padding_composite(const Tensor& input, const Tensor& weight,
                                const std::optional<Tensor>& bias, std::span<const SymInt> stride,
                                std::string_view padding, std::span<const SymInt> dilation,
                                const SymInt& groups) {
  return convolve_named("conv2d", 2, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv3d_padding_composite(const Tensor& input, const Tensor& weight,
                                const std::optional<Tensor>& bias, std::span<const SymInt> stride,
                                std::string_view padding, std::span<const SymInt> dilation,
                                const SymInt& groups) {
  return convolve_named("conv3d", 3, input, weight, bias, stride, padding, dilation, groups);
}

Tensor conv_transpose1d_composite(const Tensor& input, const Tensor& weight,
                                  const std::optional<Tensor>& bias, std::span<const SymInt> stride,
                                  std::span<const SymInt> padding,
                                  std::span<const SymInt> output_padding, const SymInt& groups,
                                  std::span<const SymInt> dilation) {
  return convolve_transposed("conv_transpose1d", 1, input, weight, bias, stride, padding,
                             output_padding, groups, dilation);
}
Tensor conv_transpose2d_composite(const Tensor& input, const Tensor& weight,
                                  const std::optional<Tensor>& bias, std::span<const SymInt> stride,
                                  std::span<const SymInt> padding,
                                  std::span<const SymInt> output_padding, const SymInt& groups,
                                  std::span<const SymInt> dilation) {
  return convolve_transposed("conv_transpose2d", 2, input, weight, bias, stride, padding,
                             output_padding, groups, dilation);
}
Tensor conv_transpose3d_composite(const Tensor& input, const Tensor& weight,
                                  const std::optional<Tensor>& bias, std::span<const SymInt> stride,
                                  std::span<const SymInt> padding,
                                  std::span<const SymInt> output_padding, const SymInt& groups,
                                  std::span<const SymInt> dilation) {
  return convolve_transposed("conv_transpose3d", 3, input, weight, bias, stride, padding,
                             output_padding, groups, dilation);
}

}  // namespace opwright
