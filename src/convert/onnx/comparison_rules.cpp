// Comparisons, logic, bits, choices and bounds.
#include <array>
#include <cstdint>
#include <span>

#include "opwright/convert/onnx/formula_nodes.h"
#include "opwright/convert/onnx/rules.h"
#include "opwright/convert/onnx/wide_dtype.h"

namespace opwright::onnx {
namespace {

OnnxValues convert_isinf(GraphBuilder& g, const Call& call) {
  const DType dtype = call.tensor(0).dtype();
  if (!is_floating(dtype)) return convert_formula(g, call);
  return {g.op("IsInf", {call.input(0, wide_dtype(dtype))})};
}

OnnxValues convert_bits(GraphBuilder& g, const Call& call) {
  constexpr int64_t kSince = 18;
  if (call.result().dtype() != DType::Bool && g.opset() < kSince)
    call.refuse("ONNX has nodes for the bits of ints from opset 18 on; export with opset 18");
  return convert_formula(g, call);
}

// One node for two numbers in their order. With one of them ONNX Runtime would bring infinities
// down to the largest number.
OnnxValues convert_clamp(GraphBuilder& g, const Call& call) {
  const DType result = call.result().dtype();
  if (!is_floating(result) || !call.has(1) || !call.has(2) || !(call.number(1) <= call.number(2)))
    return convert_formula(g, call);
  const DType dtype = result == DType::BFloat16 ? DType::Float32 : result;
  const OnnxValue value = g.op("Clip", {call.input(0, dtype), g.scalar(call.constant(1), dtype),
                                        g.scalar(call.constant(2), dtype)});
  return {recast(g, value, dtype, result)};
}

constexpr auto kRules = std::to_array<BuiltinRule>({
    {"aten::eq.Tensor", &convert_formula},
    {"aten::eq.Scalar", &convert_formula},
    {"aten::ne.Tensor", &convert_formula},
    {"aten::ne.Scalar", &convert_formula},
    {"aten::lt.Tensor", &convert_formula},
    {"aten::lt.Scalar", &convert_formula},
    {"aten::le.Tensor", &convert_formula},
    {"aten::le.Scalar", &convert_formula},
    {"aten::gt.Tensor", &convert_formula},
    {"aten::gt.Scalar", &convert_formula},
    {"aten::ge.Tensor", &convert_formula},
    {"aten::ge.Scalar", &convert_formula},
    {"aten::isnan", &convert_formula},
    {"aten::isinf", &convert_isinf},
    {"aten::bitwise_and.Tensor", &convert_bits},
    {"aten::bitwise_and.Scalar", &convert_bits},
    {"aten::bitwise_and.Scalar_Tensor", &convert_bits},
    {"aten::bitwise_or.Tensor", &convert_bits},
    {"aten::bitwise_or.Scalar", &convert_bits},
    {"aten::bitwise_or.Scalar_Tensor", &convert_bits},
    {"aten::bitwise_xor.Tensor", &convert_bits},
    {"aten::bitwise_xor.Scalar", &convert_bits},
    {"aten::bitwise_xor.Scalar_Tensor", &convert_bits},
    {"aten::bitwise_not", &convert_bits},
    {"aten::logical_and", &convert_formula},
    {"aten::logical_or", &convert_formula},
    {"aten::logical_xor", &convert_formula},
    {"aten::logical_not", &convert_formula},
    {"aten::where.self", &convert_formula},
    {"aten::where.ScalarOther", &convert_formula},
    {"aten::where.ScalarSelf", &convert_formula},
    {"aten::where.Scalar", &convert_formula},
    {"aten::maximum", &convert_formula},
    {"aten::minimum", &convert_formula},
    {"aten::clamp", &convert_clamp},
    {"aten::clamp.Tensor", &convert_formula},
    {"aten::hardtanh", &convert_clamp},
});

}  // namespace

std::span<const BuiltinRule> comparison_rules() { return kRules; }

}  // namespace opwright::onnx
