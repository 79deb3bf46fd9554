// Variances, standard deviations, norms and logarithms of sums.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/reduction_axes.h"
#include "opwright/convert/onnx/rules/rules.h"

namespace opwright::onnx {
namespace {

// ---- Variances ----

struct MomentValues {
  ReductionAxes axes;
  double correction = 1;  // subtracted from the number of elements
};

// max(0, count - correction), in `dtype`.
OnnxValue find_divisor(GraphBuilder& g, const SymInt& count, double correction, DType dtype) {
  if (!count.is_symbolic())
    return g.scalar(std::max(0.0, static_cast<double>(count.word()) - correction), dtype);
  const OnnxValue divisor =
      g.op("Sub", {g.cast(g.size(count), dtype), g.scalar(correction, dtype)});
  return g.op("Max", {divisor, g.scalar(0.0, dtype)});
}

// The variance, or its root, and the mean if it is a second result.
OnnxValues find_moments(GraphBuilder& g, const Call& call, const MomentValues& moments,
                        bool is_root) {
  const Tensor self = call.tensor(0);
  const DType dtype = self.dtype();
  const DType wide = wide_dtype(dtype);
  const OnnxValue value = call.input(0, wide);
  OnnxValues results(call.num_results());
  const ReductionAxes kept{.dims = moments.axes.dims, .keeps_dims = true};
  const OnnxValue centred = g.op("Sub", {value, reduce_over(g, "ReduceMean", value, self, kept)});
  const OnnxValue squares = g.op("Mul", {centred, centred});
  if (moments.correction == 0) {
    results[0] = reduce_over(g, "ReduceMean", squares, self, moments.axes);
  } else {
    results[0] =
        g.op("Div", {reduce_over(g, "ReduceSum", squares, self, moments.axes),
                     find_divisor(g, count_reduced(self, moments.axes), moments.correction, wide)});
  }
  if (is_root) results[0] = g.op("Sqrt", {results[0]});
  results[0] = recast(g, results[0], wide, dtype);
  if (results.size() > 1 && call.is_used(1)) {
    results[1] = recast(g, reduce_over(g, "ReduceMean", value, self, moments.axes), wide, dtype);
  }
  return results;
}

// (self, unbiased)
MomentValues moments_of_all(const Call& call) {
  return {.axes = {}, .correction = call.boolean(1) ? 1.0 : 0.0};
}
// (self, dim, unbiased, keepdim)
MomentValues moments_of_dims(const Call& call) {
  return {.axes = axes_of(call, 1, call.boolean(3)), .correction = call.boolean(2) ? 1.0 : 0.0};
}
// (self, dim, *, correction, keepdim)
MomentValues moments_of_correction(const Call& call) {
  return {.axes = axes_of(call, 1, call.boolean(3)),
          .correction = call.has(2) ? call.number(2) : 1.0};
}

OnnxValues convert_var_all(GraphBuilder& g, const Call& call) {
  return find_moments(g, call, moments_of_all(call), false);
}
OnnxValues convert_var_dims(GraphBuilder& g, const Call& call) {
  return find_moments(g, call, moments_of_dims(call), false);
}
OnnxValues convert_var(GraphBuilder& g, const Call& call) {
  return find_moments(g, call, moments_of_correction(call), false);
}
OnnxValues convert_std_all(GraphBuilder& g, const Call& call) {
  return find_moments(g, call, moments_of_all(call), true);
}
OnnxValues convert_std_dims(GraphBuilder& g, const Call& call) {
  return find_moments(g, call, moments_of_dims(call), true);
}
OnnxValues convert_std(GraphBuilder& g, const Call& call) {
  return find_moments(g, call, moments_of_correction(call), true);
}

// ---- Norms ----

// For `value` with a float dtype and dimensions.
OnnxValue norm_over(GraphBuilder& g, OnnxValue value, double order, const ReductionAxes& axes,
                    DType dtype) {
  const auto reduced = [&](std::string_view type, OnnxValue x) {
    return reduce(g, type, x, axes.dims, axes.keeps_dims);
  };
  if (order == 2.0) return reduced("ReduceL2", value);
  if (order == 1.0) return reduced("ReduceL1", value);
  if (order == 0.0) return reduced("ReduceSum", g.cast(g.cast(value, DType::Bool), dtype));
  const OnnxValue size = g.op("Abs", {value});
  if (std::isinf(order)) return reduced(order > 0 ? "ReduceMax" : "ReduceMin", size);
  const OnnxValue powers = g.op("Pow", {size, g.scalar(order, dtype)});
  return g.op("Pow", {reduced("ReduceSum", powers), g.scalar(1.0 / order, dtype)});
}

OnnxValues find_norm(GraphBuilder& g, const Call& call, const ReductionAxes& axes) {
  const Tensor self = call.tensor(0);
  const double order = call.has(1) ? call.number(1) : 2.0;
  const DType dtype = call.result().dtype();
  const DType wide = wide_dtype(dtype);
  const OnnxValue norm = norm_over(g, with_dims(g, call.input(0, wide), self), order, axes, wide);
  return {recast(g, norm, wide, dtype)};
}

// (x1, x2, p, compute_mode): norms of differences between all pairs of rows.
OnnxValues convert_cdist(GraphBuilder& g, const Call& call) {
  const DType dtype = call.result().dtype();
  const DType wide = wide_dtype(dtype);
  const int64_t rank = call.result().dim();
  const int64_t column[] = {rank - 1};
  const int64_t row[] = {rank - 2};
  const OnnxValue differences = g.op(
      "Sub", {unsqueeze(g, call.input(0, wide), column), unsqueeze(g, call.input(1, wide), row)});
  const ReductionAxes last{.dims = {rank}, .keeps_dims = false};
  return {recast(g, norm_over(g, differences, call.number(2), last, wide), wide, dtype)};
}

OnnxValues convert_norm(GraphBuilder& g, const Call& call) { return find_norm(g, call, {}); }
OnnxValues convert_norm_dims(GraphBuilder& g, const Call& call) {
  return find_norm(g, call, axes_of(call, 2, call.boolean(3)));
}

OnnxValues convert_logsumexp(GraphBuilder& g, const Call& call) {
  const DType dtype = call.result().dtype();
  const DType wide = wide_dtype(dtype);
  const OnnxValue reduced = reduce_over(g, "ReduceLogSumExp", call.input(0, wide), call.tensor(0),
                                        axes_of(call, 1, call.boolean(2)));
  return {recast(g, reduced, wide, dtype)};
}

constexpr BuiltinRule kMomentRules[] = {
    {"aten::var", convert_var_all},
    {"aten::var.dim", convert_var_dims},
    {"aten::var.correction", convert_var},
    {"aten::std", convert_std_all},
    {"aten::std.dim", convert_std_dims},
    {"aten::std.correction", convert_std},
    {"aten::var_mean", convert_var_all},
    {"aten::var_mean.dim", convert_var_dims},
    {"aten::var_mean.correction", convert_var},
    {"aten::std_mean", convert_std_all},
    {"aten::std_mean.dim", convert_std_dims},
    {"aten::std_mean.correction", convert_std},
    {"aten::linalg_vector_norm", convert_norm_dims},
    {"aten::norm.Scalar", convert_norm},
    {"aten::norm.ScalarOpt_dtype", convert_norm},
    {"aten::norm.ScalarOpt_dim", convert_norm_dims},
    {"aten::norm.ScalarOpt_dim_dtype", convert_norm_dims},
    {"aten::_cdist_forward", convert_cdist},
    {"aten::logsumexp", convert_logsumexp},
};

}  // namespace

std::span<const BuiltinRule> moment_rules() { return kMomentRules; }

}  // namespace opwright::onnx
