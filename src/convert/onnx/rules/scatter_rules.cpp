// Copies of a tensor with elements written at the positions of an index tensor.
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "opwright/convert/onnx/model/axis_nodes.h"
#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/rules.h"

namespace opwright::onnx {
namespace {

// From (self, dim, index, ...).
struct Target {
  OnnxValue self;
  OnnxValue index;
  int64_t dim;
  std::vector<SymInt> index_sizes;
  DType dtype;
  bool is_scalar;
  bool has_no_places;  // the index may then have other dimensions than self
};

Target find_target(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const Tensor index = call.tensor(2);
  std::vector<SymInt> sizes = sym_sizes_of(index);
  if (sizes.empty()) sizes.push_back(1);
  return {.self = with_dims(g, call.input(0), self),
          .index = places_of(g, call, 2),
          .dim = dim_of(call, 1, self),
          .index_sizes = std::move(sizes),
          .dtype = self.dtype(),
          .is_scalar = self.dim() == 0,
          .has_no_places = is_empty(index)};
}

OnnxValue write(GraphBuilder& g, const Target& target, OnnxValue updates, const char* reduction) {
  if (target.has_no_places) return target.self;
  return scatter_elements(g, target.self, target.index, updates, target.dim, reduction);
}

OnnxValues finish_scatter(GraphBuilder& g, const Target& target, OnnxValue written) {
  return {target.is_scalar ? reshape(g, written, {}) : written};
}

// As many elements as there are indices; further elements of `source` are not read.
OnnxValue cut_source(GraphBuilder& g, const Call& call, const Target& target, size_t argument) {
  const Tensor source = call.tensor(argument);
  OnnxValue value = with_dims(g, call.input(argument, target.dtype), source);
  for (int64_t i = 0; i < source.dim(); ++i) {
    const SymInt& size = target.index_sizes[static_cast<size_t>(i)];
    if (size.word() != source.sym_size(i).word()) value = slice(g, value, i, 0, size);
  }
  return value;
}

OnnxValue fill_places(GraphBuilder& g, const Target& target, OnnxValue number) {
  return expanded(g, number, {}, target.index_sizes, target.dtype);
}

OnnxValues convert_scatter(GraphBuilder& g, const Call& call) {
  const Target target = find_target(g, call);
  return finish_scatter(g, target, write(g, target, cut_source(g, call, target, 3), nullptr));
}
OnnxValues convert_scatter_value(GraphBuilder& g, const Call& call) {
  const Target target = find_target(g, call);
  const OnnxValue number = g.scalar(call.constant(3), target.dtype);
  return finish_scatter(g, target, write(g, target, fill_places(g, target, number), nullptr));
}
OnnxValues convert_scatter_add(GraphBuilder& g, const Call& call) {
  const Target target = find_target(g, call);
  return finish_scatter(g, target, write(g, target, cut_source(g, call, target, 3), "add"));
}

// ---- scatter_reduce ----

// The neutral element of the reduction.
OnnxValue find_neutral(GraphBuilder& g, const Call& call, const std::string& reduce, DType dtype) {
  if (reduce == "prod") return g.scalar(1, dtype);
  if (reduce != "amax" && reduce != "amin") return g.scalar(0, dtype);
  const bool is_least = reduce == "amax";
  if (is_floating(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return g.scalar(is_least ? -infinity : infinity, dtype);
  }
  if (dtype == DType::UInt64) call.refuse("include_self=False is not written for uint64");
  if (dtype == DType::Bool) return g.scalar(is_least ? 0 : 1, dtype);
  const bool is_signed = dtype_code(dtype) == kOpwDtypeInt;
  const auto bits = static_cast<int>(dtype_bits(dtype)) - (is_signed ? 1 : 0);
  if (!is_least) return g.scalar(static_cast<int64_t>(~uint64_t{0} >> (64 - bits)), dtype);
  return g.scalar(is_signed ? -std::ldexp(1.0, bits) : 0.0, dtype);
}

// How many elements were combined into one, at least 1.
OnnxValue count_written(GraphBuilder& g, const Target& target, const Tensor& self,
                        bool includes_self) {
  std::vector<SymInt> sizes = sym_sizes_of(self);
  if (sizes.empty()) sizes.push_back(1);
  Target counts = target;
  counts.self = expanded(g, g.scalar(includes_self ? 1 : 0, target.dtype), {}, sizes, target.dtype);
  const OnnxValue ones = fill_places(g, target, g.scalar(1, target.dtype));
  return g.op("Max", {write(g, counts, ones, "add"), g.scalar(1, target.dtype)});
}

OnnxValues convert_scatter_reduce(GraphBuilder& g, const Call& call) {
  const std::string reduce = call.text(4);
  const bool includes_self = call.boolean(5);
  const bool is_extreme = reduce == "amax" || reduce == "amin";
  if (is_extreme && g.opset() < 18)
    call.refuse("reduce='" + reduce + "' is in opset 18; this model has opset " +
                std::to_string(g.opset()));
  Target target = find_target(g, call);
  const bool is_mean = reduce == "mean";
  if (is_mean && !is_floating(target.dtype)) call.refuse("reduce='mean' needs a float dtype");
  if (!includes_self) {
    const OnnxValue neutral = find_neutral(g, call, reduce, target.dtype);
    target.self = write(g, target, fill_places(g, target, neutral), nullptr);
  }
  const char* node_reduction = reduce == "prod"   ? "mul"
                               : reduce == "amax" ? "max"
                               : reduce == "amin" ? "min"
                                                  : "add";
  OnnxValue written = write(g, target, cut_source(g, call, target, 3), node_reduction);
  if (is_mean)
    written = g.op("Div", {written, count_written(g, target, call.tensor(0), includes_self)});
  return finish_scatter(g, target, written);
}

// ---- Entire slices, by an index vector along one dimension ----

// The vector, expanded over the slices.
Target spread_target(GraphBuilder& g, const Call& call) {
  Target target = find_target(g, call);
  std::vector<SymInt> sizes = sym_sizes_of(call.tensor(0));
  if (sizes.empty()) sizes.push_back(1);
  sizes[static_cast<size_t>(target.dim)] = target.index_sizes[0];
  target.index = spread(g, target.index, target.dim, sizes);
  target.index_sizes = std::move(sizes);
  return target;
}

OnnxValues convert_index_copy(GraphBuilder& g, const Call& call) {
  const Target target = spread_target(g, call);
  const OnnxValue source = with_dims(g, call.input(3, target.dtype), call.tensor(3));
  return finish_scatter(g, target, write(g, target, source, nullptr));
}

OnnxValues convert_index_add(GraphBuilder& g, const Call& call) {
  const Target target = spread_target(g, call);
  OnnxValue source = with_dims(g, call.input(3, target.dtype), call.tensor(3));
  if (call.number(4) != 1.0) {
    const DType wide = wide_dtype(target.dtype);
    source = g.op("Mul", {recast(g, source, target.dtype, wide), g.scalar(call.constant(4), wide)});
    source = recast(g, source, wide, target.dtype);
  }
  return finish_scatter(g, target, write(g, target, source, "add"));
}

OnnxValues convert_index_fill(GraphBuilder& g, const Call& call) {
  const Target target = spread_target(g, call);
  const OnnxValue number = g.scalar(call.constant(3), target.dtype);
  return finish_scatter(g, target, write(g, target, fill_places(g, target, number), nullptr));
}
OnnxValues convert_index_fill_tensor(GraphBuilder& g, const Call& call) {
  const Target target = spread_target(g, call);
  const OnnxValue number = call.input(3, target.dtype);
  return finish_scatter(g, target, write(g, target, fill_places(g, target, number), nullptr));
}

constexpr BuiltinRule kScatterRules[] = {
    {"aten::scatter.src", convert_scatter},
    {"aten::scatter.value", convert_scatter_value},
    {"aten::scatter_add", convert_scatter_add, 16},
    {"aten::scatter_reduce.two", convert_scatter_reduce, 16},
    {"aten::index_copy", convert_index_copy},
    {"aten::index_add", convert_index_add, 16},
    {"aten::index_fill.int_Scalar", convert_index_fill},
    {"aten::index_fill.int_Tensor", convert_index_fill_tensor},
};

}  // namespace

std::span<const BuiltinRule> scatter_rules() { return kScatterRules; }

}  // namespace opwright::onnx
