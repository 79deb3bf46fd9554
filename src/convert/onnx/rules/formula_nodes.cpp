#include "opwright/convert/onnx/rules/formula_nodes.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/convert/onnx/model/call_state.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/formula_target.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/ops/engine/pointwise/pointwise_formula.h"

namespace opwright::onnx {
namespace {

std::optional<PointwiseFormula> formula_of(const Node& node) {
  SmallVector<OpwValue, 8> args;
  for (const NodeArgument& argument : node.args()) {
    if (argument.kind() == NodeArgument::Kind::List) return std::nullopt;
    args.push_back(argument.kind() == NodeArgument::Kind::Constant ? argument.constant().get()
                                                                   : argument.value().meta().get());
  }
  return find_formula(node.op(), args, true);
}

bool fits_half(const Scalar& number) {
  if (number.tag() == kOpwSymInt) return false;
  const auto wide = number.to<double>();
  return static_cast<double>(static_cast<float>(Half(wide))) == wide;
}

// The dtype of the nodes.
DType node_dtype(const PointwiseFormula& formula) {
  const bool keeps_half =
      formula.compute == DType::Float16 && is_one_node(formula.text) &&
      std::ranges::all_of(formula.operands, [](const auto& operand) {
        return operand.is_number ? fits_half(operand.number) : !operand.keeps_wide;
      });
  if (keeps_half || formula.compute == DType::Bool) return formula.compute;
  return ordered_dtype(formula.compute);
}

}  // namespace

OnnxValue formula_value(GraphBuilder& g, std::string_view text, std::span<const OnnxValue> operands,
                        DType dtype) {
  NodeTarget target(g, dtype, {});
  for (const OnnxValue operand : operands) target.add_operand(operand, dtype);
  const NodeTarget::Term result = target.at(read_formula(target, text));
  return recast(g, result.value, result.dtype, dtype);
}

OnnxValues convert_formula(GraphBuilder& g, const Call& call) {
  const std::optional<PointwiseFormula> formula = formula_of(call.node());
  if (!formula) call.refuse("ONNX has no nodes for it with these dtypes and numbers");
  const DType dtype = node_dtype(*formula);
  NodeTarget target(g, dtype, formula->numbers);
  for (size_t i = 0; i < formula->operands.size(); ++i) {
    const PointwiseFormula::Operand& operand = formula->operands[i];
    if (operand.is_number) {
      target.add_operand(g.scalar(operand.number.value(), dtype), dtype);
    } else if (formula->has_condition && i == 0) {
      target.add_operand(call.input(operand.argument, DType::Bool), DType::Bool);
    } else {
      const OnnxValue met = operand.keeps_wide ? call.input(operand.argument)
                                               : call.input(operand.argument, formula->common);
      target.add_operand(g.cast(met, dtype), dtype);
    }
  }
  const NodeTarget::Term result = target.at(read_formula(target, formula->text));
  return {recast(g, result.value, result.dtype, formula->result)};
}

bool has_formula(const Call& call) { return formula_of(call.node()).has_value(); }

OnnxValues convert_to_node(GraphBuilder& g, const Call& call, UnaryNode form) {
  const DType result = call.result().dtype();
  if (g.opset() < form.since_opset || !is_floating(result) ||
      (result == DType::Float64 && !form.has_double))
    return convert_formula(g, call);
  const DType dtype = result == DType::BFloat16 ? DType::Float32 : result;
  const OnnxValue value = g.op(form.type, {call.input(0, dtype)}, std::move(form.attributes));
  return {recast(g, value, dtype, result)};
}

}  // namespace opwright::onnx
