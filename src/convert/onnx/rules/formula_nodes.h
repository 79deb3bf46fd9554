// Formulas of pointwise operations (ops/pointwise_formula.h) as nodes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/onnx.h"

namespace opwright::onnx {

// The value of a formula over values x, y, z of `dtype`, in which it is computed: bool, int32,
// int64, uint64 or a floating dtype but bfloat16. "Atan(x)", a name with a capital, is a node of
// that type. The result is of `dtype`.
[[nodiscard]] OnnxValue formula_value(GraphBuilder& g, std::string_view text,
                                      std::span<const OnnxValue> operands, DType dtype);
[[nodiscard]] inline OnnxValue formula_value(GraphBuilder& g, std::string_view text,
                                             std::initializer_list<OnnxValue> operands,
                                             DType dtype) {
  return formula_value(g, text, std::span(operands.begin(), operands.size()), dtype);
}

// A rule for every pointwise operator that has a formula: promotion, roundings and numbers are
// those of its kernels.
[[nodiscard]] OnnxValues convert_formula(GraphBuilder& g, const Call& call);
[[nodiscard]] bool has_formula(const Call& call);

// One node of the first argument. In a dtype that ONNX Runtime lacks it for (float64 where
// `has_double` is false), and below an opset that has it, the formula.
struct UnaryNode {
  const char* type;
  std::vector<Attribute> attributes = {};
  int64_t since_opset = 12;
  bool has_double = false;
};
[[nodiscard]] OnnxValues convert_to_node(GraphBuilder& g, const Call& call, UnaryNode form);

}  // namespace opwright::onnx
