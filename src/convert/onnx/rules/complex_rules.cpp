// Complex numbers as pairs of reals along a last dimension: ONNX has no operators on them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "opwright/c_api.h"
#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/rules.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright::onnx {
namespace {

// Of one dtype. The imaginary part of a real number is not there.
struct ComplexParts {
  OnnxValue real;
  OnnxValue imaginary;
};

ComplexParts parts_of(GraphBuilder& g, const Call& call, size_t argument, DType dtype) {
  const Tensor tensor = call.tensor(argument);
  if (!is_complex(tensor.dtype())) return {call.input(argument, dtype), OnnxValue()};
  const auto part = [&](int64_t index) {
    const OnnxValue own = g.op("Gather", {call.input(argument), g.scalar(index, DType::Int64)},
                               {{"axis", tensor.dim()}});
    return recast(g, own, real_dtype_of(tensor.dtype()), dtype);
  };
  return {part(0), part(1)};
}

OnnxValues pair_of(GraphBuilder& g, const Call& call, OnnxValue real, OnnxValue imaginary) {
  const std::array axis{call.result().dim()};
  const std::array parts{unsqueeze(g, real, axis), unsqueeze(g, imaginary, axis)};
  return {g.op("Concat", parts, {{"axis", axis[0]}})};
}

OnnxValues convert_polar(GraphBuilder& g, const Call& call) {
  const OnnxValue length = call.input(0);
  const OnnxValue angle = call.input(1);
  return pair_of(g, call, g.op("Mul", {length, g.op("Cos", {angle})}),
                 g.op("Mul", {length, g.op("Sin", {angle})}));
}

OnnxValues convert_complex(GraphBuilder& g, const Call& call) {
  const auto sizes = sym_sizes_of(call.result());
  const DType dtype = call.tensor(0).dtype();
  return pair_of(g, call, expanded(g, call.input(0), sym_sizes_of(call.tensor(0)), sizes, dtype),
                 expanded(g, call.input(1), sym_sizes_of(call.tensor(1)), sizes, dtype));
}

// A value of its own: its memory is the same, its meaning is not.
OnnxValues convert_seen_as(GraphBuilder& g, const Call& call) {
  return {g.op("Identity", {call.input(0)})};
}

OnnxValues convert_product(GraphBuilder& g, const Call& call) {
  const DType dtype = real_dtype_of(call.result().dtype());
  const ComplexParts a = parts_of(g, call, 0, dtype);
  const ComplexParts b = parts_of(g, call, 1, dtype);
  const auto product = [&](OnnxValue left, OnnxValue right) { return g.op("Mul", {left, right}); };
  if (!b.imaginary.is_there())
    return pair_of(g, call, product(a.real, b.real), product(a.imaginary, b.real));
  if (!a.imaginary.is_there())
    return pair_of(g, call, product(a.real, b.real), product(a.real, b.imaginary));
  return pair_of(g, call, g.op("Sub", {product(a.real, b.real), product(a.imaginary, b.imaginary)}),
                 g.op("Add", {product(a.real, b.imaginary), product(a.imaginary, b.real)}));
}

OnnxValues convert_scaled(GraphBuilder& g, const Call& call) {
  if (!is_complex(call.tensor(0).dtype()) || call.constant(1).tag == kOpwComplex)
    call.refuse("a product with a complex number is not supported in ONNX");
  const DType dtype = real_dtype_of(call.result().dtype());
  return {g.op("Mul", {call.input(0), g.scalar(call.constant(1), dtype)})};
}

OnnxValues unsqueeze_pairs(GraphBuilder& g, const Call& call) {
  const std::array axis{wrap_dim(call.integer(1), call.result().dim())};
  return {unsqueeze(g, call.input(0), axis)};
}

constexpr auto kComplexRules = std::to_array<BuiltinRule>({
    {"aten::polar", &convert_polar},
    {"aten::complex", &convert_complex},
    {"aten::view_as_complex", &convert_seen_as},
    {"aten::view_as_real", &convert_seen_as},
    {"aten::mul.Tensor", &convert_product},
    {"aten::mul.Scalar", &convert_scaled},
    {"aten::unsqueeze", &unsqueeze_pairs},
});

}  // namespace

DType real_dtype_of(DType dtype) {
  if (dtype == DType::Complex128) return DType::Float64;
  return dtype == DType::Complex64 ? DType::Float32 : DType::Float16;
}

Rule find_complex_rule(std::string_view op) {
  const auto found = std::ranges::find(kComplexRules, op, &BuiltinRule::op);
  return found == kComplexRules.end() ? nullptr : found->rule;
}

}  // namespace opwright::onnx
