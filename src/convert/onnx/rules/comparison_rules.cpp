// Comparisons, logic, bits, selections and bounds.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "opwright/c_api.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/formula_nodes.h"
#include "opwright/convert/onnx/rules/rules.h"

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

bool is_symbol(const Call& call, size_t index) { return call.constant(index).tag == kOpwSymInt; }

// One node for two ordered numbers. With only one of them ONNX Runtime would reduce infinities to
// the largest number.
OnnxValues convert_clamp(GraphBuilder& g, const Call& call) {
  const DType result = call.result().dtype();
  const bool is_free = is_symbol(call, 1) || is_symbol(call, 2);
  const bool is_clip = !is_free && is_floating(result) && call.has(1) && call.has(2) &&
                       call.number(1) <= call.number(2);
  if (!is_free && !is_clip) return convert_formula(g, call);
  const DType dtype = result == DType::Float16 ? result : ordered_dtype(result);
  const auto bound = [&](size_t index) { return g.scalar(call.constant(index), dtype); };
  OnnxValue value = call.input(0, dtype);
  if (is_clip) {
    value = g.op("Clip", {value, bound(1), bound(2)});
  } else {  // sizes, which formulas cannot hold
    if (call.has(1)) value = g.op("Max", {value, bound(1)});
    if (call.has(2)) value = g.op("Min", {value, bound(2)});
  }
  return {recast(g, value, dtype, result)};
}

constexpr auto kComparisonRules = std::to_array<BuiltinRule>({
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

std::span<const BuiltinRule> comparison_rules() { return kComparisonRules; }

}  // namespace opwright::onnx
