// Shapes of convolutions: checks, per-dimension lists, the result. Shared by real and fake kernels:
// AnyTensor is Tensor or FakeTensor, whose sizes may be symbolic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "opwright/error.h"
#include "opwright/ops/engine/product/product_shape.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/tensor/memory_format.h"

namespace opwright {

// The arguments that convolution and its backward share.
template <class Int>
struct ConvolutionArguments {
  std::span<const Int> stride, padding, dilation;
  bool transposed;
  std::span<const Int> output_padding;
  Int groups;
};

template <class Int>
struct ConvolutionShape {
  using List = SmallVector<Int, kInlineDims>;
  List stride, padding, dilation, output_padding;  // one per dimension of the image
  Int groups;
  bool transposed;
  List output;  // the sizes of the result
};

// The list as given, or one number repeated for every dimension.
template <class Int>
SmallVector<Int, kInlineDims> expand_list(const char* who, const char* name,
                                          std::span<const Int> list, size_t ndim) {
  OPWRIGHT_CHECK(list.size() == ndim || list.size() == 1, who, ": ", name, " must hold ", ndim,
                 ndim == 1 ? " number" : " numbers, or one for all", ", got ", to_text(list));
  SmallVector<Int, kInlineDims> all;
  for (size_t i = 0; i < ndim; ++i) all.push_back(list[list.size() == 1 ? 0 : i]);
  return all;
}

template <class Int>
void check_bounds(const char* who, const char* name, const SmallVector<Int, kInlineDims>& list,
                  int64_t least) {
  for (const Int& each : list) {
    OPWRIGHT_DEMAND(each >= Int(least), who, ": ", name, " must be at least ", least, ", got ",
                    to_text(std::span<const Int>(list)));
    // Sums and products of a few of them stay within 64 bits.
    if constexpr (std::is_same_v<Int, int64_t>)
      OPWRIGHT_CHECK_VALUE(each <= INT32_MAX, who, ": ", name, " must be at most ", INT32_MAX,
                           ", got ", to_text(std::span<const Int>(list)));
  }
}

template <class AnyTensor>
void check_convolved(const char* who, const AnyTensor& input, const AnyTensor& weight,
                     const SizeOf<AnyTensor>& groups, bool transposed) {
  using Int = SizeOf<AnyTensor>;
  OPWRIGHT_CHECK(weight.dim() >= 3 && weight.dim() <= 5, who,
                 ": weight must have 3, 4 or 5 dimensions, got sizes ", sizes_text(weight));
  OPWRIGHT_CHECK(input.dim() == weight.dim(), who, ": input must have ", weight.dim(),
                 " dimensions, as weight has, got sizes ", sizes_text(input), " and ",
                 sizes_text(weight));
  OPWRIGHT_CHECK_TYPE(input.dtype() == weight.dtype(), who,
                      ": input and weight must have one dtype, got ", input.dtype(), " and ",
                      weight.dtype());
  OPWRIGHT_CHECK_TYPE(input.dtype() != DType::Bool, who, ": bool images cannot be convolved");
  OPWRIGHT_DEMAND(groups > Int(0), who, ": groups must be at least 1, got ", groups);
  const auto message = [&] {
    return concatenate(who, ": the first size of weight must be a multiple of groups ", groups,
                       ", got weight of sizes ", sizes_text(weight));
  };
  demand(weight.size(0) >= groups, "RuntimeError", message);
  demand(weight.size(0) % groups == Int(0), "RuntimeError", message);
  const Int channels = transposed ? weight.size(0) : weight.size(1) * groups;
  OPWRIGHT_DEMAND(input.size(1) == channels, who, ": weight of sizes ", sizes_text(weight),
                  " with ", groups, is_plain_int(groups, 1) ? " group" : " groups",
                  " requires an input of ", channels, " channels, got input of sizes ",
                  sizes_text(input));
  for (int64_t i = 2; i < input.dim(); ++i) {
    OPWRIGHT_DEMAND(input.size(i) > Int(0), who,
                    ": only the batch and the channels of input may be empty, got sizes ",
                    sizes_text(input));
    OPWRIGHT_DEMAND(weight.size(i) > Int(0), who,
                    ": the kernel must not be empty, got weight of sizes ", sizes_text(weight));
  }
}

template <class AnyTensor>
ConvolutionShape<SizeOf<AnyTensor>> find_convolution_shape(
    const char* who, const AnyTensor& input, const AnyTensor& weight,
    const ConvolutionArguments<SizeOf<AnyTensor>>& args) {
  using Int = SizeOf<AnyTensor>;
  check_convolved(who, input, weight, args.groups, args.transposed);
  const size_t ndim = static_cast<size_t>(weight.dim()) - 2;
  ConvolutionShape<Int> shape{
      .stride = expand_list(who, "stride", args.stride, ndim),
      .padding = expand_list(who, "padding", args.padding, ndim),
      .dilation = expand_list(who, "dilation", args.dilation, ndim),
      .output_padding = expand_list(who, "output_padding", args.output_padding, ndim),
      .groups = args.groups,
      .transposed = args.transposed,
      .output = {}};
  check_bounds(who, "stride", shape.stride, 1);
  check_bounds(who, "padding", shape.padding, 0);
  check_bounds(who, "dilation", shape.dilation, 1);
  check_bounds(who, "output_padding", shape.output_padding, 0);
  shape.output.push_back(input.size(0));
  shape.output.push_back(args.transposed ? weight.size(1) * args.groups : weight.size(0));
  for (size_t i = 0; i < ndim; ++i) {
    const auto dim = static_cast<int64_t>(i) + 2;
    const Int image = input.size(dim);
    const Int reach = shape.dilation[i] * (weight.size(dim) - Int(1));
    const Int border = Int(2) * shape.padding[i];
    if (args.transposed) {
      OPWRIGHT_CHECK(
          shape.output_padding[i] < shape.stride[i] || shape.output_padding[i] < shape.dilation[i],
          who, ": output_padding must be smaller than stride or dilation, got ",
          to_text(std::span<const Int>(shape.output_padding)), ", stride ",
          to_text(std::span<const Int>(shape.stride)), " and dilation ",
          to_text(std::span<const Int>(shape.dilation)));
      const Int size =
          (image - Int(1)) * shape.stride[i] - border + reach + shape.output_padding[i] + Int(1);
      OPWRIGHT_DEMAND(size > Int(0), who, ": padding ",
                      to_text(std::span<const Int>(shape.padding)),
                      " leaves nothing of the result of an input of sizes ", sizes_text(input),
                      " and a weight of sizes ", sizes_text(weight));
      shape.output.push_back(size);
    } else {
      OPWRIGHT_DEMAND(shape.output_padding[i] == Int(0), who,
                      ": output_padding is for transposed convolutions, got ",
                      to_text(std::span<const Int>(shape.output_padding)), "; give zeros");
      OPWRIGHT_DEMAND(image + border > reach, who,
                      ": the kernel must not be larger than the padded input, got input of sizes ",
                      sizes_text(input), ", weight of sizes ", sizes_text(weight), ", padding ",
                      to_text(std::span<const Int>(shape.padding)), " and dilation ",
                      to_text(std::span<const Int>(shape.dilation)));
      // Plain numbers first: this keeps symbolic expressions short.
      shape.output.push_back((image + (border - reach - Int(1))) / shape.stride[i] + Int(1));
    }
  }
  return shape;
}

template <class AnyTensor, class Int>
void check_bias(const char* who, const std::optional<AnyTensor>& bias, const AnyTensor& input,
                const Int& channels) {
  if (!bias) return;
  const Int wanted[] = {channels};
  OPWRIGHT_DEMAND(have_same_sizes(bias->sizes(), wanted), who, ": bias must have the sizes [",
                  channels, "], got ", sizes_text(*bias));
  OPWRIGHT_CHECK_TYPE(bias->dtype() == input.dtype(), who,
                      ": bias must have the dtype of input, got ", bias->dtype(), " and ",
                      input.dtype());
}

// The memory format of the results, as in PyTorch: channels last if input or weight is. A 1-d
// convolution is treated as an image of one line.
[[nodiscard]] MemoryFormat convolution_format(const Tensor& input, const Tensor& weight);

// The strides of a result of `sizes` in the format; three dimensions are an image of one line.
[[nodiscard]] SymSizes convolution_strides(std::span<const SymInt> sizes, MemoryFormat format);
[[nodiscard]] Sizes convolution_strides(std::span<const int64_t> sizes, MemoryFormat format);

}  // namespace opwright
