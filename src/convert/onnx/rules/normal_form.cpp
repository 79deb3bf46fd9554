#include "opwright/convert/onnx/rules/normal_form.h"

#include "opwright/convert/onnx/model/opset.h"

namespace opwright::onnx {
namespace {

OnnxValue reciprocal_root(GraphBuilder& g, OnnxValue mean, double eps, DType dtype) {
  const OnnxValue root = g.op("Sqrt", {g.op("Add", {mean, g.scalar(eps, dtype)})});
  return g.op("Reciprocal", {root});
}

// Without axes, which a node takes as all, each element is its own mean.
OnnxValue mean_over(GraphBuilder& g, OnnxValue x, std::span<const int64_t> axes) {
  return axes.empty() ? x : reduce(g, "ReduceMean", x, axes, true);
}

}  // namespace

NormalForm normalize(GraphBuilder& g, OnnxValue x, std::span<const int64_t> axes, double eps,
                     DType dtype) {
  const OnnxValue mean = mean_over(g, x, axes);
  NormalForm form = normalize_by_squares(g, g.op("Sub", {x, mean}), axes, eps, dtype);
  form.mean = mean;
  return form;
}

NormalForm normalize_by_squares(GraphBuilder& g, OnnxValue x, std::span<const int64_t> axes,
                                double eps, DType dtype) {
  const OnnxValue squares = mean_over(g, g.op("Mul", {x, x}), axes);
  const OnnxValue reciprocal = reciprocal_root(g, squares, eps, dtype);
  return {.normal = g.op("Mul", {x, reciprocal}), .mean = {}, .reciprocal = reciprocal};
}

OnnxValue with_weights(GraphBuilder& g, OnnxValue normal, OnnxValue weight, OnnxValue bias) {
  if (weight.is_there()) normal = g.op("Mul", {normal, weight});
  return bias.is_there() ? g.op("Add", {normal, bias}) : normal;
}

}  // namespace opwright::onnx
