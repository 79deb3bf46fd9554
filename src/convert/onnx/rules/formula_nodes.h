// Converts formulas of pointwise operations (ops/pointwise_formula.h) to nodes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/runtime/onnx.h"

namespace opwright::onnx {

// The value of a formula over x, y, z of `dtype`, in which it is computed: bool, int32, int64,
// uint64 or a floating dtype except bfloat16. "Atan(x)", a capitalized name, is a node of that
// type. The result has `dtype`.
[[nodiscard]] OnnxValue formula_value(GraphBuilder& g, std::string_view text,
                                      std::span<const OnnxValue> operands, DType dtype);
[[nodiscard]] inline OnnxValue formula_value(GraphBuilder& g, std::string_view text,
                                             std::initializer_list<OnnxValue> operands,
                                             DType dtype) {
  return formula_value(g, text, std::span(operands.begin(), operands.size()), dtype);
}

// A rule for every pointwise operator that has a formula: promotion, rounding and numbers follow
// its kernels.
[[nodiscard]] OnnxValues convert_formula(GraphBuilder& g, const Call& call);
[[nodiscard]] bool has_formula(const Call& call);

// One node of the first argument. Uses the formula for a dtype that ONNX Runtime does not support
// (float64 if `has_double` is false), and for opsets without the node.
struct UnaryNode {
  const char* type;
  std::vector<Attribute> attributes = {};
  int64_t since_opset = 12;
  bool has_double = false;
};
[[nodiscard]] OnnxValues convert_to_node(GraphBuilder& g, const Call& call, UnaryNode form);

}  // namespace opwright::onnx
