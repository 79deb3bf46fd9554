// Copies that join, repeat, flip, pad and crop.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "opwright/convert/onnx/model/axis_nodes.h"
#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/rules.h"

namespace opwright::onnx {
namespace {

OnnxValues convert_cat(GraphBuilder& g, const Call& call) {
  const Tensor result = call.result();
  const std::vector<Tensor> tensors = call.tensors(0);
  const OnnxValues inputs = call.inputs(0);
  OnnxValues parts;
  for (size_t i = 0; i < inputs.size(); ++i) {
    // PyTorch accepts [0] as an empty list next to tensors of any rank.
    if (tensors[i].dim() != result.dim()) continue;
    parts.push_back(recast(g, inputs[i], tensors[i].dtype(), result.dtype()));
  }
  return {concat(g, parts, dim_of(call, 1, result))};
}

OnnxValues convert_stack(GraphBuilder& g, const Call& call) {
  const Tensor result = call.result();
  const std::vector<Tensor> tensors = call.tensors(0);
  OnnxValues parts = call.inputs(0);
  const int64_t axes[] = {dim_of(call, 1, result)};
  for (size_t i = 0; i < parts.size(); ++i)
    parts[i] = unsqueeze(g, recast(g, parts[i], tensors[i].dtype(), result.dtype()), axes);
  return {concat(g, parts, axes[0])};
}

// Adds leading dimensions to match the repeats, and leading repeats of 1 to match the dimensions.
OnnxValues convert_repeat(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  std::vector<SymInt> repeats = call.sym_ints(1);
  const auto rank = static_cast<size_t>(self.dim());
  if (repeats.size() < rank) repeats.insert(repeats.begin(), rank - repeats.size(), SymInt(1));
  const DType kept = self.dtype() == DType::BFloat16 ? DType::Float32 : self.dtype();
  OnnxValue value = recast(g, call.input(0), self.dtype(), kept);
  if (repeats.size() > rank)
    value = unsqueeze(g, value, all_dims(static_cast<int64_t>(repeats.size() - rank)));
  if (!std::all_of(repeats.begin(), repeats.end(), [](auto& r) { return is_exactly(r, 1); }))
    value = g.op("Tile", {value, g.sizes(repeats)});
  return {recast(g, value, kept, self.dtype())};
}

OnnxValues convert_flip(GraphBuilder& g, const Call& call) {
  const int64_t rank = call.tensor(0).dim();
  std::vector<int64_t> axes = call.integers(1);
  if (axes.empty() || rank == 0) return {call.input(0)};
  for (int64_t& axis : axes) axis = wrap_dim(axis, rank);
  const std::vector<int64_t> back(axes.size(), -1);
  const std::vector<int64_t> start(axes.size(), std::numeric_limits<int64_t>::min());
  return {g.op("Slice", {call.input(0), g.ints(back), g.ints(start), g.ints(axes), g.ints(back)})};
}

OnnxValue roll_dim(GraphBuilder& g, OnnxValue value, int64_t dim, const SymInt& shift,
                   const SymInt& size) {
  const SymInt moved = shift % sym_max(size, 1);
  if (is_exactly(moved, 0)) return value;
  const SymInt cut = size - moved;
  return concat(g,
                {slice(g, value, dim, cut, std::numeric_limits<int64_t>::max()),
                 slice(g, value, dim, 0, cut)},
                dim);
}

OnnxValues convert_roll(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const std::vector<SymInt> shifts = call.sym_ints(1);
  const std::vector<int64_t> dims = call.integers(2);
  if (self.dim() == 0) return {call.input(0)};
  OnnxValue value = call.input(0);
  if (dims.empty()) {
    const SymInt flat[] = {self.sym_numel()};
    value = roll_dim(g, reshape(g, value, flat), 0, shifts.at(0), flat[0]);
    return {reshape(g, value, sym_sizes_of(self))};
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t dim = wrap_dim(dims[i], self.dim());
    value = roll_dim(g, value, dim, shifts.at(i), self.sym_size(dim));
  }
  return {value};
}

// ---- Padding: pairs of before and after, the last dimension first; negative padding crops ----

OnnxValue pad(GraphBuilder& g, const Call& call, const char* mode, bool has_value) {
  const Tensor self = call.tensor(0);
  const std::vector<SymInt> pairs = call.sym_ints(1);
  const auto rank = static_cast<size_t>(self.dim());
  std::vector<SymInt> pads(2 * rank, SymInt(0));
  for (size_t i = 0; i < pairs.size() / 2; ++i) {
    pads[rank - 1 - i] = pairs[2 * i];
    pads[2 * rank - 1 - i] = pairs[2 * i + 1];
  }
  if (std::all_of(pads.begin(), pads.end(), [](auto& p) { return is_exactly(p, 0); }))
    return call.input(0);
  const DType kept = self.dtype() == DType::Float16 ? DType::Float16 : wide_dtype(self.dtype());
  OnnxValues inputs = {recast(g, call.input(0), self.dtype(), kept), g.sizes(pads)};
  if (has_value) inputs.push_back(g.scalar(call.constant(2), kept));
  return recast(g, g.op("Pad", inputs, {{"mode", mode}}), kept, self.dtype());
}
OnnxValues convert_constant_pad(GraphBuilder& g, const Call& call) {
  return {pad(g, call, "constant", true)};
}
OnnxValues convert_reflection_pad(GraphBuilder& g, const Call& call) {
  return {pad(g, call, "reflect", false)};
}
OnnxValues convert_replication_pad(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const std::vector<SymInt> pads = call.sym_ints(1);
  for (size_t i = 0; i < pads.size(); ++i) {
    const SymInt rest = self.sym_size(-1 - static_cast<int64_t>(i / 2)) + pads[i];
    if (!rest.is_symbolic() && rest.word() <= 0)
      call.refuse("a negative padding cuts off all the elements that Pad would repeat");
  }
  return {pad(g, call, "edge", false)};
}

// ---- Triangles ----

OnnxValue keep_triangle(GraphBuilder& g, const Call& call, bool keeps_upper) {
  const Tensor self = call.tensor(0);
  const DType kept = self.dtype() == DType::Float16 ? DType::Float16 : wide_dtype(self.dtype());
  const OnnxValue value = recast(g, call.input(0), self.dtype(), kept);
  const OnnxValue diagonal = g.size(call.sym_int(1));
  OnnxValue triangle;
  if (g.opset() >= 14) {
    triangle = g.op("Trilu", {value, diagonal}, {{"upper", keeps_upper}});
  } else {
    const int64_t behind[] = {1};
    const OnnxValue rows = unsqueeze(g, arange(g, self.sym_size(-2)), behind);
    const OnnxValue offsets = g.op("Sub", {arange(g, self.sym_size(-1)), rows});
    const OnnxValue is_outside =
        keeps_upper ? g.op("Less", {offsets, diagonal}) : g.op("Greater", {offsets, diagonal});
    triangle = g.op("Where", {is_outside, g.scalar(0, kept), value});
  }
  return recast(g, triangle, kept, self.dtype());
}
OnnxValues convert_tril(GraphBuilder& g, const Call& call) {
  return {keep_triangle(g, call, false)};
}
OnnxValues convert_triu(GraphBuilder& g, const Call& call) {
  return {keep_triangle(g, call, true)};
}

constexpr BuiltinRule kJoinRules[] = {
    {"aten::cat", convert_cat},
    {"aten::stack", convert_stack},
    {"aten::repeat", convert_repeat},
    {"aten::tile", convert_repeat},
    {"aten::flip", convert_flip},
    {"aten::roll", convert_roll},
    {"aten::constant_pad_nd", convert_constant_pad},
    {"aten::reflection_pad1d", convert_reflection_pad},
    {"aten::reflection_pad2d", convert_reflection_pad},
    {"aten::reflection_pad3d", convert_reflection_pad},
    {"aten::replication_pad1d", convert_replication_pad},
    {"aten::replication_pad2d", convert_replication_pad},
    {"aten::replication_pad3d", convert_replication_pad},
    {"aten::tril", convert_tril},
    {"aten::triu", convert_triu},
};

}  // namespace

std::span<const BuiltinRule> join_rules() { return kJoinRules; }

}  // namespace opwright::onnx
