// Losses that do not decompose into other operators.
#include <array>
#include <cstdint>
#include <span>

#include "opwright/convert/onnx/model/axis_nodes.h"
#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/formula_nodes.h"
#include "opwright/convert/onnx/rules/rules.h"
#include "opwright/ops/loss/loss_reduction.h"

namespace opwright::onnx {
namespace {

OnnxValue reduce_losses(GraphBuilder& g, OnnxValue losses, LossReduction reduction) {
  if (reduction == LossReduction::None) return losses;
  return reduce(g, reduction == LossReduction::Mean ? "ReduceMean" : "ReduceSum", losses, {},
                false);
}

LossReduction reduction_of(const Call& call, size_t index) {
  return loss_reduction(call.op().c_str(), call.integer(index));
}

OnnxValues convert_binary_cross_entropy(GraphBuilder& g, const Call& call) {
  const DType result = call.result().dtype();
  const DType dtype = wide_dtype(result);
  OnnxValue losses =
      formula_value(g, "(y - 1) * maximum(log1p(-x), -100) - y * maximum(log(x), -100)",
                    {call.input(0, dtype), call.input(1, dtype)}, dtype);
  if (call.has(2)) losses = g.op("Mul", {losses, call.input(2, dtype)});
  return {recast(g, reduce_losses(g, losses, reduction_of(call, 3)), dtype, result)};
}

// The divisor of the mean: the weights of the counted classes.
OnnxValue total_weight(GraphBuilder& g, const Call& call, OnnxValue target, DType dtype) {
  const bool is_each = reduction_of(call, 3) == LossReduction::None && call.tensor(0).dim() > 1;
  if (is_each) return g.scalar(0, dtype);
  const OnnxValue ignored = g.op("Equal", {target, g.scalar(call.integer(4), DType::Int64)});
  const OnnxValue zero = g.scalar(0, dtype);
  OnnxValue weights = g.scalar(1, dtype);
  if (call.has(2)) {
    const OnnxValue first = g.scalar(0, DType::Int64);
    weights = gather(g, call.input(2, dtype), g.op("Where", {ignored, first, target}), 0);
  }
  return reduce(g, "ReduceSum", g.op("Where", {ignored, zero, weights}), {}, false);
}

// The node requires a batch: a vector of classes becomes a batch of one.
OnnxValues convert_nll_loss(GraphBuilder& g, const Call& call) {
  static constexpr std::array kNames{"none", "mean", "sum"};
  const DType result = call.result().dtype();
  const DType dtype = wide_dtype(result);
  constexpr std::array<int64_t, 1> kFirst{0};
  const bool has_batch = call.tensor(0).dim() > 1;
  OnnxValue self = call.input(0, dtype);
  OnnxValue target = call.input(1, DType::Int64);
  if (!has_batch) self = unsqueeze(g, self, kFirst);
  if (call.tensor(1).dim() == 0) target = unsqueeze(g, target, kFirst);
  OnnxValue loss = g.op("NegativeLogLikelihoodLoss", {self, target, call.input(2, dtype)},
                        {{"ignore_index", call.integer(4)},
                         {"reduction", kNames[static_cast<size_t>(reduction_of(call, 3))]}});
  if (!has_batch && reduction_of(call, 3) == LossReduction::None)
    loss = reshape(g, loss, sym_sizes_of(call.result()));
  OnnxValue total;
  if (call.is_used(1)) total = recast(g, total_weight(g, call, target, dtype), dtype, result);
  return {recast(g, loss, dtype, result), total};
}

constexpr auto kLossRules = std::to_array<BuiltinRule>({
    {"aten::binary_cross_entropy", &convert_binary_cross_entropy},
    {"aten::nll_loss_forward", &convert_nll_loss},
    {"aten::nll_loss2d_forward", &convert_nll_loss},
});

}  // namespace

std::span<const BuiltinRule> loss_rules() { return kLossRules; }

}  // namespace opwright::onnx
