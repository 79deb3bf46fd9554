// Sums, products, extremes, truth values and running sums.
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/reduction_axes.h"
#include "opwright/convert/onnx/rules/rules.h"

namespace opwright::onnx {
namespace {

// Cast first, as dtype= and sums of ints require; float16 has its own nodes.
OnnxValues reduce_in_result_dtype(GraphBuilder& g, const Call& call, std::string_view type,
                                  const ReductionAxes& axes) {
  const DType dtype = call.result().dtype();
  const DType wide = dtype == DType::Float16 ? dtype : wide_dtype(dtype);
  const OnnxValue reduced = reduce_over(g, type, call.input(0, wide), call.tensor(0), axes);
  return {recast(g, reduced, wide, dtype)};
}

OnnxValues convert_sum(GraphBuilder& g, const Call& call) {
  return reduce_in_result_dtype(g, call, "ReduceSum", {});
}
OnnxValues convert_sum_dims(GraphBuilder& g, const Call& call) {
  return reduce_in_result_dtype(g, call, "ReduceSum", axes_of(call, 1, call.boolean(2)));
}
OnnxValues convert_mean(GraphBuilder& g, const Call& call) {
  return reduce_in_result_dtype(g, call, "ReduceMean", {});
}
OnnxValues convert_mean_dims(GraphBuilder& g, const Call& call) {
  return reduce_in_result_dtype(g, call, "ReduceMean", axes_of(call, 1, call.boolean(2)));
}
OnnxValues convert_prod(GraphBuilder& g, const Call& call) {
  return reduce_in_result_dtype(g, call, "ReduceProd", {});
}
OnnxValues convert_prod_dim(GraphBuilder& g, const Call& call) {
  return reduce_in_result_dtype(g, call, "ReduceProd", axes_of(call, 1, call.boolean(2)));
}

// ---- Extremes; ONNX does not specify the order of NaN ----

OnnxValue reduce_ordered(GraphBuilder& g, const Call& call, std::string_view type,
                         const ReductionAxes& axes) {
  const Tensor self = call.tensor(0);
  const DType wide = self.dtype() == DType::Float16 ? DType::Float16 : ordered_dtype(self.dtype());
  const OnnxValue reduced = reduce_over(g, type, call.input(0, wide), self, axes);
  return recast(g, reduced, wide, self.dtype());
}

OnnxValues convert_max(GraphBuilder& g, const Call& call) {
  return {reduce_ordered(g, call, "ReduceMax", {})};
}
OnnxValues convert_min(GraphBuilder& g, const Call& call) {
  return {reduce_ordered(g, call, "ReduceMin", {})};
}
OnnxValues convert_amax(GraphBuilder& g, const Call& call) {
  return {reduce_ordered(g, call, "ReduceMax", axes_of(call, 1, call.boolean(2)))};
}
OnnxValues convert_amin(GraphBuilder& g, const Call& call) {
  return {reduce_ordered(g, call, "ReduceMin", axes_of(call, 1, call.boolean(2)))};
}

// Without `dim`: the index among all elements.
OnnxValue find_extreme(GraphBuilder& g, const Call& call, std::string_view type, bool has_dim,
                       bool keeps_dim) {
  const Tensor self = call.tensor(0);
  if (self.dim() == 0) return g.scalar(0, DType::Int64);
  OnnxValue value = call.input(0, ordered_dtype(self.dtype()));
  if (has_dim) {
    return g.op(type, {value}, {{"axis", dim_of(call, 1, self)}, {"keepdims", keeps_dim}});
  }
  const SymInt flat[] = {self.sym_numel()};
  const OnnxValue place = g.op(type, {reshape(g, value, flat)}, {{"axis", 0}, {"keepdims", false}});
  return keeps_dim ? reshape(g, place, sym_sizes_of(call.result())) : place;
}

OnnxValues convert_argmax(GraphBuilder& g, const Call& call) {
  return {find_extreme(g, call, "ArgMax", call.has(1), call.boolean(2))};
}
OnnxValues convert_argmin(GraphBuilder& g, const Call& call) {
  return {find_extreme(g, call, "ArgMin", call.has(1), call.boolean(2))};
}

OnnxValues reduce_with_index(GraphBuilder& g, const Call& call, std::string_view reduction,
                             std::string_view search) {
  const bool keeps_dim = call.boolean(2);
  OnnxValues results(2);
  if (call.is_used(0)) results[0] = reduce_ordered(g, call, reduction, axes_of(call, 1, keeps_dim));
  if (call.is_used(1)) results[1] = find_extreme(g, call, search, true, keeps_dim);
  return results;
}
OnnxValues convert_max_dim(GraphBuilder& g, const Call& call) {
  return reduce_with_index(g, call, "ReduceMax", "ArgMax");
}
OnnxValues convert_min_dim(GraphBuilder& g, const Call& call) {
  return reduce_with_index(g, call, "ReduceMin", "ArgMin");
}

// ---- Truth values, counted: an empty maximum is not a truth value, an empty count is 0 ----

OnnxValue count_true(GraphBuilder& g, const Call& call, OnnxValue is_true,
                     const ReductionAxes& axes) {
  return reduce_over(g, "ReduceSum", g.cast(is_true, DType::Int64), call.tensor(0), axes);
}

OnnxValue reduce_any(GraphBuilder& g, const Call& call, const ReductionAxes& axes) {
  const OnnxValue count = count_true(g, call, call.input(0, DType::Bool), axes);
  return recast(g, g.cast(count, DType::Bool), DType::Bool, call.result().dtype());
}
OnnxValue reduce_all(GraphBuilder& g, const Call& call, const ReductionAxes& axes) {
  const OnnxValue is_false = g.op("Not", {call.input(0, DType::Bool)});
  const OnnxValue count = count_true(g, call, is_false, axes);
  return recast(g, g.op("Not", {g.cast(count, DType::Bool)}), DType::Bool, call.result().dtype());
}

// any and all over [] reduce nothing, as in PyTorch.
bool joins_nothing(const Call& call) {
  return call.has(1) && call.constant(1).tag != kOpwInt && call.integers(1).empty();
}
OnnxValues as_truth(GraphBuilder& g, const Call& call) {
  return {recast(g, call.input(0, DType::Bool), DType::Bool, call.result().dtype())};
}

OnnxValues convert_any(GraphBuilder& g, const Call& call) { return {reduce_any(g, call, {})}; }
OnnxValues convert_any_dims(GraphBuilder& g, const Call& call) {
  if (joins_nothing(call)) return as_truth(g, call);
  return {reduce_any(g, call, axes_of(call, 1, call.boolean(2)))};
}
OnnxValues convert_all(GraphBuilder& g, const Call& call) { return {reduce_all(g, call, {})}; }
OnnxValues convert_all_dims(GraphBuilder& g, const Call& call) {
  if (joins_nothing(call)) return as_truth(g, call);
  return {reduce_all(g, call, axes_of(call, 1, call.boolean(2)))};
}

OnnxValues convert_count_nonzero(GraphBuilder& g, const Call& call) {
  return {count_true(g, call, call.input(0, DType::Bool), axes_of(call, 1, false))};
}

// ---- Running sums and products ----

OnnxValues convert_cumsum(GraphBuilder& g, const Call& call) {
  const Tensor self = call.tensor(0);
  const DType dtype = call.result().dtype();
  if (self.dim() == 0) return {call.input(0, dtype)};
  const DType wide = wide_dtype(dtype);
  const OnnxValue axis = g.scalar(dim_of(call, 1, self), DType::Int64);
  return {recast(g, g.op("CumSum", {call.input(0, wide), axis}), wide, dtype)};
}

using Join = OnnxValue (*)(GraphBuilder& g, OnnxValue a, OnnxValue b, DType dtype);

// In doubling steps: each element is combined with the one `distance` before it, or with `neutral`.
OnnxValues join_running(GraphBuilder& g, const Call& call, double neutral, Join join) {
  const Tensor self = call.tensor(0);
  const DType dtype = call.result().dtype();
  if (self.dim() == 0) return {call.input(0, dtype)};
  const int64_t dim = dim_of(call, 1, self);
  const SymInt size = self.sym_size(dim);
  if (size.is_symbolic())
    call.refuse("ONNX has no node for it, and this one goes over a size that changes");
  const DType wide = wide_dtype(dtype);
  OnnxValue joined = call.input(0, wide);
  for (int64_t distance = 1; distance < size.word(); distance *= 2) {
    std::vector<int64_t> pads(static_cast<size_t>(2 * self.dim()));
    pads[static_cast<size_t>(dim)] = distance;
    pads[static_cast<size_t>(self.dim() + dim)] = -distance;
    const OnnxValue shifted = g.op("Pad", {joined, g.ints(pads), g.scalar(neutral, wide)});
    joined = join(g, joined, shifted, wide);
  }
  return {recast(g, joined, wide, dtype)};
}

OnnxValues convert_cumprod(GraphBuilder& g, const Call& call) {
  return join_running(g, call, 1.0, [](GraphBuilder& graph, OnnxValue a, OnnxValue b, DType) {
    return graph.op("Mul", {a, b});
  });
}

// log(exp(a) + exp(b)); equal ones, which may be infinite, are handled without their difference.
OnnxValue add_logarithms(GraphBuilder& g, OnnxValue a, OnnxValue b, DType dtype) {
  const OnnxValue greater = g.op("Max", {a, b});
  const OnnxValue distance = g.op("Neg", {g.op("Abs", {g.op("Sub", {a, b})})});
  const OnnxValue sum = g.op("Add", {g.op("Exp", {distance}), g.scalar(1, dtype)});
  const OnnxValue is_same = g.op("Equal", {a, b});
  const OnnxValue gain =
      g.op("Where", {is_same, g.scalar(std::log(2.0), dtype), g.op("Log", {sum})});
  return g.op("Add", {greater, gain});
}
OnnxValues convert_logcumsumexp(GraphBuilder& g, const Call& call) {
  return join_running(g, call, -std::numeric_limits<double>::infinity(), add_logarithms);
}

constexpr BuiltinRule kReductionRules[] = {
    {"aten::sum", convert_sum},
    {"aten::sum.dim_IntList", convert_sum_dims},
    {"aten::mean", convert_mean},
    {"aten::mean.dim", convert_mean_dims},
    {"aten::prod", convert_prod},
    {"aten::prod.dim_int", convert_prod_dim},
    {"aten::max", convert_max},
    {"aten::min", convert_min},
    {"aten::amax", convert_amax},
    {"aten::amin", convert_amin},
    {"aten::argmax", convert_argmax},
    {"aten::argmin", convert_argmin},
    {"aten::max.dim", convert_max_dim},
    {"aten::min.dim", convert_min_dim},
    {"aten::any", convert_any},
    {"aten::any.dim", convert_any_dims},
    {"aten::any.dims", convert_any_dims},
    {"aten::all", convert_all},
    {"aten::all.dim", convert_all_dims},
    {"aten::all.dims", convert_all_dims},
    {"aten::count_nonzero", convert_count_nonzero},
    {"aten::count_nonzero.dim_IntList", convert_count_nonzero},
    {"aten::cumsum", convert_cumsum},
    {"aten::cumprod", convert_cumprod},
    {"aten::logcumsumexp", convert_logcumsumexp},
};

}  // namespace

std::span<const BuiltinRule> reduction_rules() { return kReductionRules; }

}  // namespace opwright::onnx
