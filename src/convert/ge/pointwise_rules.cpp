// Arithmetic, functions of one number, comparisons and selections. The engine does not promote:
// operands are cast to the operator's compute dtype.
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "opwright/c_api.h"
#include "opwright/convert/ge/rules.h"
#include "opwright/convert/sizes.h"
#include "opwright/dtype.h"
#include "opwright/ops/engine/shape/promotion.h"

namespace opwright::graph_engine {
namespace {

OutputPlace cast_input(const Call& call, size_t index) {
  return call.input(index, call.result().dtype());
}

GeValues convert_one(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {cast_input(call, 0)})};
}
GeValues convert_two(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {cast_input(call, 0), cast_input(call, 1)})};
}

// add and sub: the second operand is scaled by alpha.
OutputPlace scaled_operand(GraphBuilder& g, const Call& call, size_t operand, size_t alpha) {
  const OutputPlace value = cast_input(call, operand);
  if (call.number(alpha) == 1) return value;
  const DType dtype = call.result().dtype();
  std::optional<ValueType> type;
  if (const auto sizes = g.shape(value)) type = ValueType{dtype, *sizes};
  return g.op("Mul", {value, g.scalar(call.constant(alpha), dtype)}, {}, std::move(type));
}
GeValues convert_sum(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {cast_input(call, 0), scaled_operand(g, call, 1, 2)})};
}
GeValues convert_rsub(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {cast_input(call, 1), scaled_operand(g, call, 0, 2)})};
}

GeValues convert_div_mode(GraphBuilder& g, const Call& call, const char* op) {
  if (!call.has(2)) return convert_two(g, call, "RealDiv");
  if (call.text(2) != "floor") call.refuse("GE has no division that rounds towards zero");
  return convert_two(g, call, op);
}

// For tensors and numbers, promoted as in the comparison.
DType compared_dtype(const Call& call) {
  const DType first = call.tensor(0).dtype();
  const OpwValue& number = call.constant(1);
  if (number.tag == kOpwNone) return promote_dtypes(first, call.tensor(1).dtype());
  if (number.tag == kOpwFloat && !is_floating(first)) return DType::Float32;
  return number.tag == kOpwInt && first == DType::Bool ? DType::Int64 : first;
}
GeValues convert_comparison(GraphBuilder& g, const Call& call, const char* op) {
  const DType dtype = compared_dtype(call);
  return {g.op(op, {call.input(0, dtype), call.input(1, dtype)})};
}

GeValues convert_logic(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0, DType::Bool), call.input(1, DType::Bool)})};
}
GeValues convert_not(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0, DType::Bool)})};
}

GeValues convert_where(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0, DType::Bool), cast_input(call, 1), cast_input(call, 2)})};
}
GeValues convert_masked_fill(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(1, DType::Bool), cast_input(call, 2), cast_input(call, 0)})};
}

GeValues convert_clamp(GraphBuilder& g, const Call& call, const char*) {
  OutputPlace value = cast_input(call, 0);
  const ValueType type{call.result().dtype(), sym_sizes_of(call.result())};
  if (call.has(1)) value = g.op("Maximum", {value, cast_input(call, 1)}, {}, type);
  if (call.has(2)) value = g.op("Minimum", {value, cast_input(call, 2)}, {}, type);
  return {value};
}

GeValues convert_gelu(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0)}, {{"approximate", call.text(1).c_str()}})};
}
GeValues convert_leaky_relu(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0)}, {{"negative_slope", call.number(1)}})};
}

// (grad, self, ...) as an op with this order, or with the reverse order if it takes the result.
GeValues convert_gradient(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0), call.input(1)})};
}
GeValues convert_gradient_of_result(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(1), call.input(0)},
               {{"complex_conj", is_complex(call.result().dtype())}})};
}
GeValues convert_threshold_gradient(GraphBuilder& g, const Call& call, const char* op) {
  if (call.number(2) == 0) return convert_gradient(g, call, op);
  const DType dtype = call.result().dtype();
  const ValueType mask{DType::Bool, sym_sizes_of(call.tensor(1))};
  const OutputPlace is_cut = g.op("LessEqual", {call.input(1), call.input(2, dtype)}, {}, mask);
  return {g.op("SelectV2", {is_cut, g.scalar(0, dtype), call.input(0)})};
}
GeValues convert_gelu_gradient(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0), call.input(1)}, {{"approximate", call.text(2).c_str()}})};
}
// The sign of a result is that of its input, unless the slope flips it.
GeValues convert_leaky_relu_gradient(GraphBuilder& g, const Call& call, const char* op) {
  if (call.boolean(3) && call.number(2) < 0)
    call.refuse("a result does not determine the gradient where the slope is negative");
  return {g.op(op, {call.input(0), call.input(1)}, {{"negative_slope", call.number(2)}})};
}
GeValues convert_hardtanh_gradient(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(1), call.input(0)},
               {{"min_val", call.number(2)}, {"max_val", call.number(3)}})};
}

GeValues convert_sgn(GraphBuilder& g, const Call& call, const char* op) {
  if (is_complex(call.result().dtype())) call.refuse("GE has no sign of a complex number");
  return convert_one(g, call, op);
}
GeValues convert_question(GraphBuilder& g, const Call& call, const char* op) {
  return {g.op(op, {call.input(0)})};
}

GeValues convert_cast(GraphBuilder& g, const Call& call, const char* op) {
  const bool is_same = call.tensor(0).dtype() == call.result().dtype();
  return {is_same ? g.op(op, {call.input(0)}) : cast_input(call, 0)};
}

constexpr auto kPointwiseRules = std::to_array<BuiltinRule>({
    {"aten::add.Tensor", convert_sum, "Add"},
    {"aten::add.Scalar", convert_sum, "Add"},
    {"aten::sub.Tensor", convert_sum, "Sub"},
    {"aten::sub.Scalar", convert_sum, "Sub"},
    {"aten::rsub.Tensor", convert_rsub, "Sub"},
    {"aten::rsub.Scalar", convert_rsub, "Sub"},
    {"aten::mul.Tensor", convert_two, "Mul"},
    {"aten::mul.Scalar", convert_two, "Mul"},
    {"aten::div.Tensor", convert_two, "RealDiv"},
    {"aten::div.Scalar", convert_two, "RealDiv"},
    {"aten::div.Tensor_mode", convert_div_mode, "FloorDiv"},
    {"aten::div.Scalar_mode", convert_div_mode, "FloorDiv"},
    {"aten::floor_divide", convert_two, "FloorDiv"},
    {"aten::remainder.Tensor", convert_two, "FloorMod"},
    {"aten::remainder.Scalar", convert_two, "FloorMod"},
    {"aten::pow.Tensor_Tensor", convert_two, "Pow"},
    {"aten::pow.Tensor_Scalar", convert_two, "Pow"},
    {"aten::pow.Scalar", convert_two, "Pow"},
    {"aten::maximum", convert_two, "Maximum"},
    {"aten::minimum", convert_two, "Minimum"},
    {"aten::neg", convert_one, "Neg"},
    {"aten::abs", convert_one, "Abs"},
    {"aten::sign", convert_one, "Sign"},
    {"aten::sgn", convert_sgn, "Sign"},
    {"aten::reciprocal", convert_one, "Reciprocal"},
    {"aten::floor", convert_one, "Floor"},
    {"aten::ceil", convert_one, "Ceil"},
    {"aten::round", convert_one, "Round"},
    {"aten::exp", convert_one, "Exp"},
    {"aten::expm1", convert_one, "Expm1"},
    {"aten::log", convert_one, "Log"},
    {"aten::log1p", convert_one, "Log1p"},
    {"aten::sqrt", convert_one, "Sqrt"},
    {"aten::rsqrt", convert_one, "Rsqrt"},
    {"aten::sin", convert_one, "Sin"},
    {"aten::cos", convert_one, "Cos"},
    {"aten::tanh", convert_one, "Tanh"},
    {"aten::sigmoid", convert_one, "Sigmoid"},
    {"aten::erf", convert_one, "Erf"},
    {"aten::relu", convert_one, "Relu"},
    {"aten::silu", convert_one, "Swish"},
    {"aten::gelu", convert_gelu, "GeluV2"},
    {"aten::leaky_relu", convert_leaky_relu, "LeakyRelu"},
    {"aten::threshold_backward", convert_threshold_gradient, "ReluGrad"},
    {"aten::sigmoid_backward", convert_gradient_of_result, "SigmoidGrad"},
    {"aten::tanh_backward", convert_gradient_of_result, "TanhGrad"},
    {"aten::gelu_backward", convert_gelu_gradient, "GeluGradV2"},
    {"aten::silu_backward", convert_gradient, "SiluGrad"},
    {"aten::log_sigmoid_backward", convert_gradient, "LogSigmoidGrad"},
    {"aten::leaky_relu_backward", convert_leaky_relu_gradient, "LeakyReluGrad"},
    {"aten::hardtanh_backward", convert_hardtanh_gradient, "HardtanhGrad"},
    {"aten::clamp", convert_clamp},
    {"aten::clamp.Tensor", convert_clamp},
    {"aten::hardtanh", convert_clamp},
    {"aten::eq.Tensor", convert_comparison, "Equal"},
    {"aten::eq.Scalar", convert_comparison, "Equal"},
    {"aten::ne.Tensor", convert_comparison, "NotEqual"},
    {"aten::ne.Scalar", convert_comparison, "NotEqual"},
    {"aten::lt.Tensor", convert_comparison, "Less"},
    {"aten::lt.Scalar", convert_comparison, "Less"},
    {"aten::le.Tensor", convert_comparison, "LessEqual"},
    {"aten::le.Scalar", convert_comparison, "LessEqual"},
    {"aten::gt.Tensor", convert_comparison, "Greater"},
    {"aten::gt.Scalar", convert_comparison, "Greater"},
    {"aten::ge.Tensor", convert_comparison, "GreaterEqual"},
    {"aten::ge.Scalar", convert_comparison, "GreaterEqual"},
    {"aten::isnan", convert_question, "IsNan"},
    {"aten::logical_and", convert_logic, "LogicalAnd"},
    {"aten::logical_or", convert_logic, "LogicalOr"},
    {"aten::logical_not", convert_not, "LogicalNot"},
    {"aten::where.self", convert_where, "SelectV2"},
    {"aten::where.ScalarOther", convert_where, "SelectV2"},
    {"aten::where.ScalarSelf", convert_where, "SelectV2"},
    {"aten::masked_fill.Scalar", convert_masked_fill, "SelectV2"},
    {"aten::masked_fill.Tensor", convert_masked_fill, "SelectV2"},
    {"aten::_to_copy", convert_cast, "Identity"},
});

}  // namespace

std::span<const BuiltinRule> pointwise_rules() { return kPointwiseRules; }

}  // namespace opwright::graph_engine
