// New tensors: filled with one number, ranges, and copies.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/convert/onnx/model/call_state.h"
#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/sizes.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/formula_nodes.h"
#include "opwright/convert/onnx/rules/rules.h"
#include "opwright/dispatch/call.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ir/graph/node.h"
#include "opwright/scalar.h"
#include "opwright/value.h"

namespace opwright::onnx {
namespace {

// ---- One number ----

OnnxValues fill_with(GraphBuilder& g, const Call& call, const Scalar& number) {
  const DType dtype = call.result().dtype();
  const std::vector<SymInt> sizes = sym_sizes_of(call.result());
  if (sizes.empty() || number.tag() == kOpwSymInt)
    return {expanded(g, g.scalar(number.value(), dtype), {}, sizes, dtype)};
  const DType kept = dtype == DType::BFloat16 ? DType::Float32 : dtype;
  const OnnxValue filled = g.op("ConstantOfShape", {g.sizes(sizes)},
                                {{"value", full<Tensor>({SymInt(1)}, number, kept, {}, {}, {})}});
  return {recast(g, filled, kept, dtype)};
}

OnnxValues convert_zeros(GraphBuilder& g, const Call& call) { return fill_with(g, call, 0); }
OnnxValues convert_ones(GraphBuilder& g, const Call& call) { return fill_with(g, call, 1); }

template <size_t kNumber>
OnnxValues convert_full(GraphBuilder& g, const Call& call) {
  return fill_with(g, call, ValueOf<Scalar>::read(call.constant(kNumber)));
}

// ---- Copies ----

OnnxValues convert_copy(GraphBuilder&, const Call& call) {
  return {call.input(0, call.result().dtype())};
}
// The second argument with the sizes and dtype of the first.
OnnxValues convert_copy_of_other(GraphBuilder& g, const Call& call) {
  const DType dtype = call.result().dtype();
  return {expanded(g, call.input(1, dtype), sym_sizes_of(call.tensor(1)),
                   sym_sizes_of(call.result()), dtype)};
}

// ---- Ranges ----

constexpr int64_t kMostElements = 4096;  // of a tensor stored in the model

bool has_symbol(const Call& call) {
  for (size_t i = 0; i < call.num_arguments(); ++i) {
    if (call.constant(i).tag == kOpwSymInt) return true;
  }
  return false;
}

// The result of the call, which does not depend on inputs.
OnnxValue constant_result(GraphBuilder& g, const Call& call) {
  SmallVector<OpwValue, 8> args;
  for (size_t i = 0; i < call.num_arguments(); ++i) args.push_back(call.constant(i));
  OpwValue result{};
  opwright::call(call.node().op(), args, Results(&result, 1));
  return g.constant(ValueOf<Tensor>::take(result));
}

OnnxValues convert_constant(GraphBuilder& g, const Call& call) {
  return {constant_result(g, call)};
}

// start + i * step, with their argument indices in `call`; -1: 0 and 1.
OnnxValues convert_range(GraphBuilder& g, const Call& call, int start, int step) {
  const SymInt length = call.result().sym_size(0);
  if (!has_symbol(call) && length.word() <= kMostElements) return convert_constant(g, call);
  const DType result = call.result().dtype();
  const auto argument = [&](int place, int64_t usual, DType dtype) {
    return place < 0 ? g.scalar(usual, dtype)
                     : g.scalar(call.constant(static_cast<size_t>(place)), dtype);
  };
  const DType dtype = is_floating(result) ? DType::Float64 : DType::Int64;
  const OnnxValue places = recast(g, arange(g, length), DType::Int64, dtype);
  const OnnxValue values =
      start < 0
          ? places
          : formula_value(g, "y + x * z",
                          {places, argument(start, 0, dtype), argument(step, 1, dtype)}, dtype);
  return {recast(g, values, dtype, result)};
}
OnnxValues convert_arange(GraphBuilder& g, const Call& call) {
  return convert_range(g, call, -1, -1);
}
OnnxValues convert_arange_start(GraphBuilder& g, const Call& call) {
  return convert_range(g, call, 0, -1);
}
OnnxValues convert_arange_step(GraphBuilder& g, const Call& call) {
  return convert_range(g, call, 0, 2);
}

OnnxValues convert_eye(GraphBuilder& g, const Call& call) {
  const std::vector<SymInt> sizes = sym_sizes_of(call.result());
  if (!has_symbol(call) && sizes[0].word() * sizes[1].word() <= kMostElements)
    return convert_constant(g, call);
  constexpr std::array<int64_t, 1> kLast{1};
  const OnnxValue rows = unsqueeze(g, arange(g, sizes[0]), kLast);
  return {g.cast(g.op("Equal", {rows, arange(g, sizes[1])}), call.result().dtype())};
}

constexpr auto kCreationRules = std::to_array<BuiltinRule>({
    {"aten::empty.memory_format", &convert_zeros},
    {"aten::empty_strided", &convert_zeros},
    {"aten::empty_like", &convert_zeros},
    {"aten::new_empty", &convert_zeros},
    {"aten::new_empty_strided", &convert_zeros},
    {"aten::zeros", &convert_zeros},
    {"aten::zeros_like", &convert_zeros},
    {"aten::new_zeros", &convert_zeros},
    {"aten::zero", &convert_zeros},
    {"aten::ones", &convert_ones},
    {"aten::ones_like", &convert_ones},
    {"aten::new_ones", &convert_ones},
    {"aten::scalar_tensor", &convert_full<0>},
    {"aten::full", &convert_full<1>},
    {"aten::full_like", &convert_full<1>},
    {"aten::fill.Scalar", &convert_full<1>},
    {"aten::new_full", &convert_full<2>},
    {"aten::fill.Tensor", &convert_copy_of_other},
    {"aten::copy", &convert_copy_of_other},
    {"opwright::graft", &convert_copy_of_other},  // a model has no gradients
    {"aten::clone", &convert_copy},
    {"aten::contiguous", &convert_copy},
    {"aten::lift_fresh_copy", &convert_copy},
    {"aten::_to_copy", &convert_copy},
    {"aten::to.dtype", &convert_copy},
    {"aten::to.device", &convert_copy},
    {"aten::to.dtype_layout", &convert_copy},
    {"aten::to.other", &convert_copy},
    {"aten::arange", &convert_arange},
    {"aten::arange.start", &convert_arange_start},
    {"aten::arange.start_step", &convert_arange_step},
    {"aten::linspace", &convert_constant},
    {"aten::logspace", &convert_constant},
    {"aten::eye", &convert_eye},
    {"aten::eye.m", &convert_eye},
    {"aten::tril_indices", &convert_constant},
    {"aten::triu_indices", &convert_constant},
});

}  // namespace

std::span<const BuiltinRule> creation_rules() { return kCreationRules; }

}  // namespace opwright::onnx
