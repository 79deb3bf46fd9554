// Convolutions as Conv and ConvTranspose; unfolded windows as a convolution that picks elements.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/rules.h"
#include "opwright/convert/onnx/rules/windows.h"
#include "opwright/dtype.h"
#include "opwright/functions.h"

namespace opwright::onnx {
namespace {

struct Convolution {
  std::vector<int64_t> stride;
  std::vector<int64_t> pads;  // before each dimension, then after
  std::vector<int64_t> dilation;
  int64_t groups;
  bool is_transposed = false;
  std::vector<int64_t> output_padding = {};
};

int64_t num_spatial_dims(const Call& call) { return call.tensor(1).dim() - 2; }

std::vector<int64_t> kernel_of(const Call& call) {
  std::vector<int64_t> kernel;
  for (int64_t i = 2; i < call.tensor(1).dim(); ++i) {
    const SymInt size = call.tensor(1).sym_size(i);
    if (size.is_symbolic()) call.refuse("the sizes of the weight must be numbers for ONNX");
    kernel.push_back(size.word());
  }
  return kernel;
}

// ONNX Runtime rejects output padding of at least the stride; less padding after is equivalent.
void settle_output_padding(Convolution& form) {
  const size_t dims = form.stride.size();
  for (size_t i = 0; i < form.output_padding.size(); ++i) {
    if (form.output_padding[i] < form.stride[i]) continue;
    const int64_t moved = std::min(form.output_padding[i], form.pads[dims + i]);
    form.output_padding[i] -= moved;
    form.pads[dims + i] -= moved;
  }
}

OnnxValues convolve(GraphBuilder& g, const Call& call, Convolution form) {
  if (!is_floating(call.result().dtype()))
    call.refuse("ONNX convolves floating dtypes alone; cast the input and the weight");
  const bool is_batched = call.tensor(0).dim() == call.tensor(1).dim();
  const DType given = call.result().dtype();
  const DType dtype = without_bfloat16(given);
  const OnnxValue input = with_batch(g, call.input(0, dtype), is_batched);
  settle_output_padding(form);
  std::vector<Attribute> attributes{{"kernel_shape", kernel_of(call)},
                                    {"strides", form.stride},
                                    {"pads", form.pads},
                                    {"dilations", form.dilation},
                                    {"group", form.groups}};
  if (form.is_transposed) attributes.emplace_back("output_padding", form.output_padding);
  const OnnxValue output =
      g.op(form.is_transposed ? "ConvTranspose" : "Conv",
           {input, call.input(1, dtype), call.input(2, dtype)}, std::move(attributes));
  return {without_batch(g, recast(g, output, dtype, given), is_batched)};
}

OnnxValues plain_rule(GraphBuilder& g, const Call& call) {
  const int64_t dims = num_spatial_dims(call);
  return convolve(g, call,
                  {.stride = per_dim(call.integers(3), dims),
                   .pads = on_both_sides(per_dim(call.integers(4), dims)),
                   .dilation = per_dim(call.integers(5), dims),
                   .groups = call.integer(6)});
}

// "same": the odd element of the padding goes after.
std::vector<int64_t> pads_of_text(const Call& call, const std::vector<int64_t>& dilation) {
  const std::vector<int64_t> kernel = kernel_of(call);
  std::vector<int64_t> pads(2 * kernel.size(), 0);
  if (call.text(4) == "valid") return pads;
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t total = dilation[i] * (kernel[i] - 1);
    pads[i] = total / 2;
    pads[kernel.size() + i] = total - total / 2;
  }
  return pads;
}

OnnxValues text_rule(GraphBuilder& g, const Call& call) {
  const int64_t dims = num_spatial_dims(call);
  const std::vector<int64_t> dilation = per_dim(call.integers(5), dims);
  return convolve(g, call,
                  {.stride = per_dim(call.integers(3), dims),
                   .pads = pads_of_text(call, dilation),
                   .dilation = dilation,
                   .groups = call.integer(6)});
}

OnnxValues transposed_rule(GraphBuilder& g, const Call& call) {
  const int64_t dims = num_spatial_dims(call);
  return convolve(g, call,
                  {.stride = per_dim(call.integers(3), dims),
                   .pads = on_both_sides(per_dim(call.integers(4), dims)),
                   .dilation = per_dim(call.integers(7), dims),
                   .groups = call.integer(6),
                   .is_transposed = true,
                   .output_padding = per_dim(call.integers(5), dims)});
}

OnnxValues convolution_rule(GraphBuilder& g, const Call& call) {
  const int64_t dims = num_spatial_dims(call);
  return convolve(g, call,
                  {.stride = per_dim(call.integers(3), dims),
                   .pads = on_both_sides(per_dim(call.integers(4), dims)),
                   .dilation = per_dim(call.integers(5), dims),
                   .groups = call.integer(8),
                   .is_transposed = call.boolean(6),
                   .output_padding = per_dim(call.integers(7), dims)});
}

// ---- Windows as columns and back ----

// Each channel alone, with one kernel per window element that is 1 there.
OnnxValues im2col_rule(GraphBuilder& g, const Call& call) {
  const Tensor input = call.tensor(0);
  const bool is_batched = input.dim() == 4;
  const SymInt channels = input.sym_size(is_batched ? 1 : 0);
  if (channels.is_symbolic() || !is_floating(input.dtype()))
    call.refuse("ONNX unfolds floating tensors with a fixed number of channels alone");
  const std::vector<int64_t> kernel = per_dim(call.integers(1), 2);
  const int64_t area = kernel[0] * kernel[1];
  const DType dtype = without_bfloat16(input.dtype());
  const Tensor picks =
      eye(area, dtype).reshape({area, 1, kernel[0], kernel[1]}).repeat({channels.word(), 1, 1, 1});
  const OnnxValue windows =
      g.op("Conv", {with_batch(g, call.input(0, dtype), is_batched), g.constant(picks)},
           {{"kernel_shape", kernel},
            {"dilations", per_dim(call.integers(2), 2)},
            {"pads", on_both_sides(per_dim(call.integers(3), 2))},
            {"strides", per_dim(call.integers(4), 2)},
            {"group", channels.word()}});
  return {recast(g, reshape(g, windows, sym_sizes_of(call.result())), dtype, input.dtype())};
}

OnnxValues col2im_rule(GraphBuilder& g, const Call& call) {
  const bool is_batched = call.tensor(0).dim() == 3;
  const OnnxValue image = g.op("Col2Im",
                               {with_batch(g, call.input(0), is_batched), g.sizes(call.sym_ints(1)),
                                g.ints(per_dim(call.integers(2), 2))},
                               {{"dilations", per_dim(call.integers(3), 2)},
                                {"pads", on_both_sides(per_dim(call.integers(4), 2))},
                                {"strides", per_dim(call.integers(5), 2)}});
  return {without_batch(g, image, is_batched)};
}

constexpr std::array kConvolutionRules = {
    BuiltinRule{"aten::convolution", &convolution_rule},
    BuiltinRule{"aten::conv1d", &plain_rule},
    BuiltinRule{"aten::conv2d", &plain_rule},
    BuiltinRule{"aten::conv3d", &plain_rule},
    BuiltinRule{"aten::conv1d.padding", &text_rule},
    BuiltinRule{"aten::conv2d.padding", &text_rule},
    BuiltinRule{"aten::conv3d.padding", &text_rule},
    BuiltinRule{"aten::conv_transpose1d", &transposed_rule},
    BuiltinRule{"aten::conv_transpose2d.input", &transposed_rule},
    BuiltinRule{"aten::conv_transpose3d.input", &transposed_rule},
    BuiltinRule{"aten::im2col", &im2col_rule},
    BuiltinRule{"aten::col2im", &col2im_rule, 18},
};

}  // namespace

std::span<const BuiltinRule> convolution_rules() { return kConvolutionRules; }

}  // namespace opwright::onnx
