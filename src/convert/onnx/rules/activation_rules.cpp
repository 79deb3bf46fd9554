// Activations and their gradients.
#include <array>
#include <span>
#include <string_view>

#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/formula_nodes.h"
#include "opwright/convert/onnx/rules/rules.h"

namespace opwright::onnx {
namespace {

OnnxValues convert_relu(GraphBuilder& g, const Call& call) {
  return convert_to_node(g, call, {.type = "Relu", .has_double = true});
}
OnnxValues convert_gelu(GraphBuilder& g, const Call& call) {
  return convert_to_node(
      g, call, {.type = "Gelu", .attributes = {{"approximate", call.text(1)}}, .since_opset = 20});
}
OnnxValues convert_leaky_relu(GraphBuilder& g, const Call& call) {
  return convert_to_node(g, call, {.type = "LeakyRelu", .attributes = {{"alpha", call.number(1)}}});
}
OnnxValues convert_hardswish(GraphBuilder& g, const Call& call) {
  return convert_to_node(g, call, {.type = "HardSwish", .since_opset = 14});
}
OnnxValues convert_hardsigmoid(GraphBuilder& g, const Call& call) {
  return convert_to_node(
      g, call, {.type = "HardSigmoid", .attributes = {{"alpha", 1.0 / 6}, {"beta", 0.5}}});
}
OnnxValues convert_mish(GraphBuilder& g, const Call& call) {
  return convert_to_node(g, call, {.type = "Mish", .since_opset = 18});
}

OnnxValues convert_elu(GraphBuilder& g, const Call& call) {
  if (call.number(2) != 1 || call.number(3) != 1) return convert_formula(g, call);
  return convert_to_node(g, call, {.type = "Elu", .attributes = {{"alpha", call.number(1)}}});
}

// Above 20, float32 and float16 cannot distinguish log(1 + e^x) from x.
OnnxValues convert_softplus(GraphBuilder& g, const Call& call) {
  if (call.number(1) != 1 || call.number(2) < 20) return convert_formula(g, call);
  return convert_to_node(g, call, {.type = "Softplus"});
}

// A formula in a dtype, for operators that are made of others.
OnnxValues convert_by(GraphBuilder& g, const Call& call, std::string_view formula, DType dtype,
                      OnnxValue other = {}) {
  const OnnxValue value = formula_value(g, formula, {call.input(0, dtype), other}, dtype);
  return {recast(g, value, dtype, call.result().dtype())};
}

OnnxValues convert_silu(GraphBuilder& g, const Call& call) {
  const DType result = call.result().dtype();
  return convert_by(g, call, "x * sigmoid(x)",
                    result == DType::Float16 ? result : wide_dtype(result));
}
OnnxValues convert_selu(GraphBuilder& g, const Call& call) {
  const DType dtype = wide_dtype(call.result().dtype());
  if (dtype == DType::Float32) return convert_by(g, call, "Selu(x)", dtype);
  return convert_by(g, call, "1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * expm1(x))",
                    dtype);
}
OnnxValues convert_celu(GraphBuilder& g, const Call& call) {
  const DType dtype = wide_dtype(call.result().dtype());
  return convert_by(g, call, "x > 0 ? x : y * expm1(x / y)", dtype,
                    g.scalar(call.constant(1), dtype));
}
OnnxValues convert_log_sigmoid(GraphBuilder& g, const Call& call) {
  const DType dtype = wide_dtype(call.result().dtype());
  if (dtype == DType::Float32) return convert_by(g, call, "-Softplus(-x)", dtype);
  return convert_by(g, call, "minimum(x, 0) - log1p(exp(-absolute(x)))", dtype);
}

OnnxValues convert_prelu(GraphBuilder& g, const Call& call) {
  const DType result = call.result().dtype();
  if (result == DType::Float64) return convert_formula(g, call);
  const DType dtype = result == DType::BFloat16 ? DType::Float32 : result;
  const OnnxValue value = g.op("PRelu", {call.input(0, dtype), call.input(1, dtype)});
  return {recast(g, value, dtype, result)};
}

constexpr auto kActivationRules = std::to_array<BuiltinRule>({
    {"aten::relu", &convert_relu},
    {"aten::sigmoid", &convert_formula},
    {"aten::gelu", &convert_gelu},
    {"aten::silu", &convert_silu},
    {"aten::elu", &convert_elu},
    {"aten::selu", &convert_selu},
    {"aten::celu", &convert_celu},
    {"aten::leaky_relu", &convert_leaky_relu},
    {"aten::softplus", &convert_softplus},
    {"aten::log_sigmoid", &convert_log_sigmoid},
    {"aten::hardswish", &convert_hardswish},
    {"aten::hardsigmoid", &convert_hardsigmoid},
    {"aten::mish", &convert_mish},
    {"aten::_prelu_kernel", &convert_prelu},
    {"aten::threshold", &convert_formula},
    {"aten::logit", &convert_formula},
    {"aten::softshrink", &convert_formula},
    {"aten::hardshrink", &convert_formula},
    {"aten::threshold_backward", &convert_formula},
    {"aten::sigmoid_backward", &convert_formula},
    {"aten::tanh_backward", &convert_formula},
    {"aten::gelu_backward", &convert_formula},
    {"aten::silu_backward", &convert_formula},
    {"aten::elu_backward", &convert_formula},
    {"aten::hardtanh_backward", &convert_formula},
    {"aten::leaky_relu_backward", &convert_formula},
    {"aten::softplus_backward", &convert_formula},
    {"aten::hardswish_backward", &convert_formula},
    {"aten::hardsigmoid_backward", &convert_formula},
    {"aten::mish_backward", &convert_formula},
    {"aten::log_sigmoid_backward", &convert_formula},
    {"aten::logit_backward", &convert_formula},
    {"aten::softshrink_backward", &convert_formula},
    {"aten::hardshrink_backward", &convert_formula},
});

}  // namespace

std::span<const BuiltinRule> activation_rules() { return kActivationRules; }

}  // namespace opwright::onnx
