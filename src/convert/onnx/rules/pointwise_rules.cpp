// Arithmetic, powers, rounding, and functions of one number.
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "opwright/c_api.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/formula_nodes.h"
#include "opwright/convert/onnx/rules/rules.h"

namespace opwright::onnx {
namespace {

// The node with the operator's name: "aten::asinh" is "Asinh". `has_double`: ONNX Runtime has it
// for float64.
OnnxValues convert_to_named(GraphBuilder& g, const Call& call, bool has_double) {
  std::string type = call.op().substr(std::string_view("aten::").size());
  type[0] = static_cast<char>(type[0] - 'a' + 'A');
  const DType result = call.result().dtype();
  if (is_integral(result)) {
    const DType dtype = ordered_dtype(result);
    return {recast(g, g.op(type, {call.input(0, dtype)}), dtype, result)};
  }
  return convert_to_node(g, call,
                         {.type = type.c_str(), .has_double = has_double || !has_formula(call)});
}
OnnxValues convert_named(GraphBuilder& g, const Call& call) {
  return convert_to_named(g, call, false);
}
OnnxValues convert_named_with_double(GraphBuilder& g, const Call& call) {
  return convert_to_named(g, call, true);
}

// A tensor or a number, in that dtype.
OnnxValue operand_of(GraphBuilder& g, const Call& call, size_t index, DType dtype) {
  const OpwValue& number = call.constant(index);
  return number.tag == kOpwNone ? call.input(index, dtype) : g.scalar(number, dtype);
}

// Ints by squaring: Pow of ints goes through floats in ONNX Runtime. Beyond 63 only the powers of
// 0, 1 and -1 do not overflow.
OnnxValue power_of_ints(GraphBuilder& g, OnnxValue base, OnnxValue exponent, DType dtype) {
  constexpr int kBits = 6;
  OnnxValue left = formula_value(g, "x < 64 ? x : 62 + Mod(x, 2)", {exponent}, dtype);
  OnnxValue square = base;
  OnnxValue power = g.scalar(1, dtype);
  for (int bit = 0; bit < kBits; ++bit) {
    power = formula_value(g, "Mod(x, 2) == 0 ? y : y * z", {left, power, square}, dtype);
    if (bit + 1 == kBits) break;
    left = formula_value(g, "x / 2", {left}, dtype);
    square = formula_value(g, "x * x", {square}, dtype);
  }
  return formula_value(g, "y < 0 ? (x == 1 ? 1 : x == -1 ? (Mod(y, 2) == 0 ? 1 : -1) : 0) : z",
                       {base, exponent, power}, dtype);
}

OnnxValues convert_pow(GraphBuilder& g, const Call& call) {
  if (has_formula(call)) return convert_formula(g, call);
  const DType result = call.result().dtype();
  const DType dtype = wide_dtype(result);
  const OnnxValue base = operand_of(g, call, 0, dtype);
  const OnnxValue exponent = operand_of(g, call, 1, dtype);
  const OnnxValue power =
      is_floating(dtype) ? g.op("Pow", {base, exponent}) : power_of_ints(g, base, exponent, dtype);
  return {recast(g, power, dtype, result)};
}

OnnxValues convert_atan2(GraphBuilder& g, const Call& call) {
  const DType result = call.result().dtype();
  const DType dtype = wide_dtype(result);
  const OnnxValue angle =
      formula_value(g,
                    "x == 0 && y == 0 ? 0 : "
                    "Atan(x / y) + (y < 0 ? (x < 0 ? -3.141592653589793 : 3.141592653589793) : 0)",
                    {call.input(0, dtype), call.input(1, dtype)}, dtype);
  return {recast(g, angle, dtype, result)};
}

constexpr auto kPointwiseRules = std::to_array<BuiltinRule>({
    {"aten::add.Tensor", &convert_formula},
    {"aten::add.Scalar", &convert_formula},
    {"aten::sub.Tensor", &convert_formula},
    {"aten::sub.Scalar", &convert_formula},
    {"aten::rsub.Tensor", &convert_formula},
    {"aten::rsub.Scalar", &convert_formula},
    {"aten::mul.Tensor", &convert_formula},
    {"aten::mul.Scalar", &convert_formula},
    {"aten::div.Tensor", &convert_formula},
    {"aten::div.Scalar", &convert_formula},
    {"aten::div.Tensor_mode", &convert_formula},
    {"aten::div.Scalar_mode", &convert_formula},
    {"aten::floor_divide", &convert_formula},
    {"aten::floor_divide.Scalar", &convert_formula},
    {"aten::fmod.Tensor", &convert_formula},
    {"aten::fmod.Scalar", &convert_formula},
    {"aten::remainder.Tensor", &convert_formula},
    {"aten::remainder.Scalar", &convert_formula},
    {"aten::remainder.Scalar_Tensor", &convert_formula},
    {"aten::pow.Tensor_Tensor", &convert_pow},
    {"aten::pow.Tensor_Scalar", &convert_pow},
    {"aten::pow.Scalar", &convert_pow},
    {"aten::atan2", &convert_atan2},
    {"aten::addcmul", &convert_formula},
    {"aten::addcdiv", &convert_formula},
    {"aten::lerp.Scalar", &convert_formula},
    {"aten::lerp.Tensor", &convert_formula},
    {"aten::xlogy.Tensor", &convert_formula},
    {"aten::xlogy.Scalar_Self", &convert_formula},
    {"aten::xlogy.Scalar_Other", &convert_formula},
    {"aten::neg", &convert_formula},
    {"aten::abs", &convert_named_with_double},
    {"aten::sign", &convert_named_with_double},
    {"aten::sgn", &convert_formula},
    {"aten::conj_physical", &convert_formula},
    {"aten::ceil", &convert_formula},
    {"aten::floor", &convert_formula},
    {"aten::round", &convert_formula},
    {"aten::trunc", &convert_formula},
    {"aten::reciprocal", &convert_named_with_double},
    {"aten::sqrt", &convert_formula},
    {"aten::rsqrt", &convert_formula},
    {"aten::exp", &convert_formula},
    {"aten::expm1", &convert_formula},
    {"aten::log", &convert_formula},
    {"aten::log2", &convert_formula},
    {"aten::log10", &convert_formula},
    {"aten::log1p", &convert_formula},
    {"aten::sin", &convert_formula},
    {"aten::cos", &convert_formula},
    {"aten::tanh", &convert_formula},
    {"aten::erf", &convert_formula},
    {"aten::tan", &convert_named},
    {"aten::asin", &convert_named},
    {"aten::acos", &convert_named},
    {"aten::atan", &convert_named},
    {"aten::sinh", &convert_named},
    {"aten::cosh", &convert_named},
    {"aten::asinh", &convert_named},
    {"aten::acosh", &convert_named},
    {"aten::atanh", &convert_named},
});

}  // namespace

std::span<const BuiltinRule> pointwise_rules() { return kPointwiseRules; }

}  // namespace opwright::onnx
