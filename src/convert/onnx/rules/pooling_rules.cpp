// Pooling as MaxPool and AveragePool; adaptive pooling if all windows are equal.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/rules.h"
#include "opwright/convert/onnx/rules/windows.h"
#include "opwright/dtype.h"

namespace opwright::onnx {
namespace {

struct PoolingWindow {
  std::vector<int64_t> kernel;
  std::vector<int64_t> stride;
  std::vector<int64_t> pads;  // before each dimension, then after
  std::vector<int64_t> dilation = {};
  bool is_ceil = false;
};

std::vector<Attribute> window_attributes(const PoolingWindow& window) {
  std::vector<Attribute> attributes{
      {"kernel_shape", window.kernel}, {"strides", window.stride}, {"pads", window.pads}};
  if (!window.dilation.empty()) attributes.emplace_back("dilations", window.dilation);
  if (window.is_ceil) attributes.emplace_back("ceil_mode", true);
  return attributes;
}

// For an operator over the last `dims` dimensions: kernel, stride (defaults to the kernel),
// padding.
PoolingWindow window_of(const Call& call, int64_t dims) {
  PoolingWindow window{.kernel = per_dim(call.integers(1), dims),
                       .stride = per_dim(call.integers(2), dims),
                       .pads = on_both_sides(per_dim(call.integers(3), dims))};
  if (window.stride.empty()) window.stride = window.kernel;
  return window;
}

// "aten::max_pool2d": 2.
int64_t num_dims(const Call& call) { return call.op()[call.op().find_first_of("123")] - '0'; }

// ---- Windows that are cut off ----

struct Count {
  int64_t floor;
  int64_t ceil;
};

// A window that would start after the input and its leading padding does not count.
Count count_windows(int64_t size, int64_t reach, int64_t stride, int64_t padding) {
  const int64_t free = size + 2 * padding - reach;
  Count count{.floor = free / stride + 1, .ceil = (free + stride - 1) / stride + 1};
  if ((count.ceil - 1) * stride >= size + padding) --count.ceil;
  return count;
}

[[noreturn]] void refuse_ceil_mode(const Call& call) {
  call.refuse("ceil_mode with such a stride cannot be said in ONNX; leave it");
}

// ONNX also counts windows that start after the input. If there may be some, the sizes must be
// known, and cut-off windows get padding instead, which a maximum ignores.
void settle_ceil_mode(const Call& call, PoolingWindow& window, bool is_max) {
  const size_t dims = window.kernel.size();
  std::vector<int64_t> more(dims, 0);
  bool drops = false;
  for (size_t i = 0; window.is_ceil && i < dims; ++i) {
    const int64_t dilation = window.dilation.empty() ? 1 : window.dilation[i];
    const int64_t reach = dilation * (window.kernel[i] - 1) + 1;
    const int64_t padding = window.pads[i];
    const SymInt size =
        call.tensor(0).sym_size(static_cast<int64_t>(i) - static_cast<int64_t>(dims));
    const bool may_drop = window.stride[i] > reach - padding;
    if (size.is_symbolic()) {
      if (may_drop)
        call.refuse("ceil_mode with such a stride needs sizes that are numbers for ONNX");
      more[i] = -1;
      continue;
    }
    const Count count = count_windows(size.word(), reach, window.stride[i], padding);
    drops |= may_drop && count.ceil == count.floor;
    if (count.ceil > count.floor)
      more[i] = (count.ceil - 1) * window.stride[i] + reach - size.word() - 2 * padding;
  }
  if (!drops) return;
  for (size_t i = 0; i < dims; ++i) {
    if (more[i] < 0 || (more[i] > 0 && !is_max)) refuse_ceil_mode(call);
    window.pads[dims + i] += more[i];
    if (window.pads[dims + i] >= window.kernel[i]) refuse_ceil_mode(call);
  }
  window.is_ceil = false;
}

// ---- Max ----

// ONNX indexes the entire tensor, the operators each channel.
OnnxValue index_in_channel(GraphBuilder& g, const Call& call, OnnxValue index, int64_t dims) {
  SymInt area = 1;
  for (int64_t i = -dims; i < 0; ++i) area = area * call.tensor(0).sym_size(i);
  return g.op("Mod", {index, g.size(area)});
}

// Ints of up to 32 bits are exact in float64.
DType max_dtype(const Call& call) {
  const DType dtype = call.result().dtype();
  if (is_floating(dtype)) return without_bfloat16(dtype);
  if (dtype == DType::Int8 || dtype == DType::UInt8) return dtype;
  if (item_size(dtype) > 4) call.refuse("ONNX has no MaxPool of ints of 64 bits; cast the input");
  return DType::Float64;
}

OnnxValues max_of_windows(GraphBuilder& g, const Call& call, const PoolingWindow& window) {
  const auto dims = static_cast<int64_t>(window.kernel.size());
  const bool is_batched = call.tensor(0).dim() == dims + 2;
  const bool gives_indices = call.num_results() == 2 && call.is_used(1);
  const DType dtype = max_dtype(call);
  const OnnxValues made = g.op("MaxPool", {with_batch(g, call.input(0, dtype), is_batched)},
                               window_attributes(window), gives_indices ? 2 : 1);
  OnnxValues results{
      without_batch(g, recast(g, made[0], dtype, call.result().dtype()), is_batched)};
  if (gives_indices)
    results.push_back(without_batch(g, index_in_channel(g, call, made[1], dims), is_batched));
  if (call.num_results() > results.size()) results.emplace_back();
  return results;
}

OnnxValues max_rule(GraphBuilder& g, const Call& call) {
  const int64_t dims = num_dims(call);
  PoolingWindow window = window_of(call, dims);
  window.dilation = per_dim(call.integers(4), dims);
  window.is_ceil = call.boolean(5);
  settle_ceil_mode(call, window, true);
  return max_of_windows(g, call, window);
}

// ---- Average ----

OnnxValue average_of_windows(GraphBuilder& g, const Call& call, const PoolingWindow& window,
                             bool counts_padding) {
  if (!is_floating(call.result().dtype()))
    call.refuse("ONNX averages floating dtypes alone; cast the input");
  const bool is_batched = call.tensor(0).dim() == static_cast<int64_t>(window.kernel.size()) + 2;
  std::vector<Attribute> attributes = window_attributes(window);
  attributes.emplace_back("count_include_pad", counts_padding);
  const DType given = call.result().dtype();
  const DType dtype = without_bfloat16(given);
  const OnnxValue pooled =
      g.op("AveragePool", {with_batch(g, call.input(0, dtype), is_batched)}, std::move(attributes));
  return without_batch(g, recast(g, pooled, dtype, given), is_batched);
}

OnnxValues average_rule(GraphBuilder& g, const Call& call) {
  PoolingWindow window = window_of(call, num_dims(call));
  window.is_ceil = call.boolean(4);
  settle_ceil_mode(call, window, false);
  const bool has_divisor = call.num_arguments() > 6 && call.has(6);
  if (!has_divisor) return {average_of_windows(g, call, window, call.boolean(5))};
  if (window.is_ceil)
    call.refuse("ONNX cannot divide windows that are cut off by divisor_override; leave ceil_mode");
  double area = 1;
  for (const int64_t size : window.kernel) area *= static_cast<double>(size);
  const double factor = area / static_cast<double>(call.integer(6));
  return {g.op(
      "Mul", {average_of_windows(g, call, window, true), g.scalar(factor, call.result().dtype())})};
}

// ---- Adaptive: windows of one size where the output divides the input ----

// Empty if the windows are not all equal.
std::vector<int64_t> adaptive_kernel(const Call& call, int64_t dims) {
  std::vector<int64_t> kernel;
  const std::vector<SymInt> output = call.sym_ints(1);
  for (int64_t i = 0; i < dims; ++i) {
    const SymInt from = call.tensor(0).sym_size(i - dims);
    const SymInt& to = output[output.size() == 1 ? 0 : static_cast<size_t>(i)];
    if (from.is_symbolic() || to.is_symbolic() || to.word() == 0 || from.word() % to.word() != 0)
      return {};
    kernel.push_back(from.word() / to.word());
  }
  return kernel;
}

bool is_of_all(const Call& call) {
  for (const SymInt& size : call.sym_ints(1))
    if (!is_exactly(size, 1)) return false;
  return true;
}

[[noreturn]] void refuse_uneven(const Call& call) {
  call.refuse(
      "ONNX pools windows of one size: output_size must be 1, or divide sizes that are numbers");
}

OnnxValues adaptive_average_rule(GraphBuilder& g, const Call& call) {
  const int64_t dims = num_dims(call);
  if (is_of_all(call)) return {reduce(g, "ReduceMean", call.input(0), last_dims(dims), true)};
  const std::vector<int64_t> kernel = adaptive_kernel(call, dims);
  if (kernel.empty()) refuse_uneven(call);
  const PoolingWindow window{
      .kernel = kernel, .stride = kernel, .pads = std::vector<int64_t>(2 * kernel.size(), 0)};
  return {average_of_windows(g, call, window, true)};
}

OnnxValues max_of_all(GraphBuilder& g, const Call& call, int64_t dims) {
  const OnnxValue all = reduce(g, "ReduceMax", call.input(0), last_dims(dims), true);
  if (!call.is_used(1)) return {all, OnnxValue()};
  std::vector<SymInt> flat = sym_sizes_of(call.tensor(0));
  const auto first = flat.end() - dims;
  const SymInt area = std::accumulate(first, flat.end(), SymInt(1), std::multiplies<>());
  flat.erase(first, flat.end());
  flat.push_back(area);
  const OnnxValue place = g.op("ArgMax", {reshape(g, call.input(0), flat)}, {{"axis", -1}});
  std::vector<int64_t> axes = last_dims(dims - 1);
  return {all, axes.empty() ? place : unsqueeze(g, place, axes)};
}

OnnxValues adaptive_max_rule(GraphBuilder& g, const Call& call) {
  const int64_t dims = num_dims(call);
  const std::vector<int64_t> kernel = adaptive_kernel(call, dims);
  if (kernel.empty() && is_of_all(call)) return max_of_all(g, call, dims);
  if (kernel.empty()) refuse_uneven(call);
  return max_of_windows(
      g, call,
      {.kernel = kernel, .stride = kernel, .pads = std::vector<int64_t>(2 * kernel.size(), 0)});
}

constexpr std::array kPoolingRules = {
    BuiltinRule{"aten::max_pool1d", &max_rule},
    BuiltinRule{"aten::max_pool2d", &max_rule},
    BuiltinRule{"aten::max_pool3d", &max_rule},
    BuiltinRule{"aten::max_pool1d_with_indices", &max_rule},
    BuiltinRule{"aten::max_pool2d_with_indices", &max_rule},
    BuiltinRule{"aten::max_pool3d_with_indices", &max_rule},
    BuiltinRule{"aten::avg_pool1d", &average_rule},
    BuiltinRule{"aten::avg_pool2d", &average_rule},
    BuiltinRule{"aten::avg_pool3d", &average_rule},
    BuiltinRule{"aten::adaptive_avg_pool1d", &adaptive_average_rule},
    BuiltinRule{"aten::adaptive_avg_pool2d", &adaptive_average_rule},
    BuiltinRule{"aten::adaptive_avg_pool3d", &adaptive_average_rule},
    BuiltinRule{"aten::_adaptive_avg_pool2d", &adaptive_average_rule},
    BuiltinRule{"aten::_adaptive_avg_pool3d", &adaptive_average_rule},
    BuiltinRule{"aten::adaptive_max_pool1d", &adaptive_max_rule},
    BuiltinRule{"aten::adaptive_max_pool2d", &adaptive_max_rule},
    BuiltinRule{"aten::adaptive_max_pool3d", &adaptive_max_rule},
};

}  // namespace

std::span<const BuiltinRule> pooling_rules() { return kPoolingRules; }

}  // namespace opwright::onnx
