// Products of matrices and vectors as MatMul and Gemm.
//
// ONNX has them for floating dtypes and ints of 32 and 64 bits; smaller ints are computed in int32
// and truncated, as the operators do. ONNX Runtime has none for bfloat16 on a CPU: float32 has the
// products and sums that the operators round.
#include <array>
#include <span>
#include <vector>

#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/rules.h"
#include "opwright/dtype.h"

namespace opwright::onnx {
namespace {

DType product_dtype(DType dtype) {
  const bool is_narrow = !is_floating(dtype) && item_size(dtype) < 4;
  return is_narrow ? DType::Int32 : without_bfloat16(dtype);
}

OnnxValue multiply(GraphBuilder& g, const Call& call, size_t a, size_t b) {
  const DType dtype = product_dtype(call.result().dtype());
  return g.op("MatMul", {call.input(a, dtype), call.input(b, dtype)});
}

// Cast to the result's dtype, if it was computed in another one.
OnnxValue narrowed(GraphBuilder& g, const Call& call, OnnxValue value) {
  const DType dtype = call.result().dtype();
  return product_dtype(dtype) == dtype ? value : g.cast(value, dtype);
}

OnnxValues product_rule(GraphBuilder& g, const Call& call) {
  return {narrowed(g, call, multiply(g, call, 0, 1))};
}

OnnxValue scaled(GraphBuilder& g, const Call& call, OnnxValue value, size_t factor, DType dtype) {
  if (call.number(factor) == 1) return value;
  return g.op("Mul", {value, g.scalar(call.constant(factor), dtype)});
}

// beta * self + alpha * product; self is not read if beta is 0.
OnnxValues added_product_rule(GraphBuilder& g, const Call& call) {
  const DType dtype = product_dtype(call.result().dtype());
  const OnnxValue product = scaled(g, call, multiply(g, call, 1, 2), 4, dtype);
  if (call.number(3) != 0) {
    const OnnxValue self = scaled(g, call, call.input(0, dtype), 3, dtype);
    return {narrowed(g, call, g.op("Add", {self, product}))};
  }
  const std::vector<SymInt> sizes = sym_sizes_of(call.result());
  return {narrowed(g, call, expand(g, product, sizes))};
}

// Its factors are float32 attributes.
bool is_float32(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

OnnxValues addmm_rule(GraphBuilder& g, const Call& call) {
  const bool is_exact = call.result().dtype() != DType::Float64 ||
                        (is_float32(call.number(3)) && is_float32(call.number(4)));
  // ONNX Runtime ignores beta if the product is empty.
  const bool is_empty = is_exactly(call.tensor(1).sym_size(1), 0);
  if (!is_floating(call.result().dtype()) || !is_exact || is_empty)
    return added_product_rule(g, call);
  const DType dtype = product_dtype(call.result().dtype());
  const OnnxValue self = call.number(3) != 0 ? call.input(0, dtype) : OnnxValue();
  return {narrowed(g, call,
                   g.op("Gemm", {call.input(1, dtype), call.input(2, dtype), self},
                        {{"alpha", call.number(4)}, {"beta", call.number(3)}}))};
}

OnnxValues linear_rule(GraphBuilder& g, const Call& call) {
  const int64_t weight_rank = call.tensor(1).dim();
  const DType dtype = call.result().dtype();
  const DType wide = product_dtype(dtype);
  if (call.tensor(0).dim() == 2 && weight_rank == 2 && is_floating(dtype)) {
    const OnnxValue bias = call.has(2) ? call.input(2, wide) : OnnxValue();
    const std::array inputs{call.input(0, wide), call.input(1, wide), bias};
    return {narrowed(g, call, g.op("Gemm", inputs, {{"transB", 1}}))};
  }
  const OnnxValue weight = call.input(1, wide);
  const OnnxValue factor =
      weight_rank == 2 ? transpose(g, weight, std::array<int64_t, 2>{1, 0}) : weight;
  OnnxValue product = g.op("MatMul", {call.input(0, wide), factor});
  if (call.has(2)) product = g.op("Add", {product, call.input(2, wide)});
  return {narrowed(g, call, product)};
}

OnnxValues outer_rule(GraphBuilder& g, const Call& call) {
  const DType dtype = product_dtype(call.result().dtype());
  const OnnxValue column = unsqueeze(g, call.input(0, dtype), std::array<int64_t, 1>{1});
  return {narrowed(g, call, g.op("Mul", {column, call.input(1, dtype)}))};
}

constexpr std::array kProductRules = {
    BuiltinRule{"aten::mm", &product_rule},
    BuiltinRule{"aten::bmm", &product_rule},
    BuiltinRule{"aten::matmul", &product_rule},
    BuiltinRule{"aten::mv", &product_rule},
    BuiltinRule{"aten::dot", &product_rule},
    BuiltinRule{"aten::vdot", &product_rule},
    BuiltinRule{"aten::addmm", &addmm_rule},
    BuiltinRule{"aten::addmv", &added_product_rule},
    BuiltinRule{"aten::baddbmm", &added_product_rule},
    BuiltinRule{"aten::linear", &linear_rule},
    BuiltinRule{"aten::outer", &outer_rule},
    BuiltinRule{"aten::ger", &outer_rule},
};

}  // namespace

std::span<const BuiltinRule> product_rules() { return kProductRules; }

}  // namespace opwright::onnx
