#include "opwright/compile/fuse/point_node.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/compile/fuse/formula.h"
#include "opwright/compile/fuse/nest.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/operator_map.h"
#include "opwright/ops/engine/pointwise/pointwise_formula.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {
namespace {

bool is_plain_cpu(const Tensor& tensor) { return tensor.is_defined() && tensor.device() == kCpu; }

// The argument of that name; null if the schema has none.
const NodeArgument* find_argument(const Node& node, std::string_view name) {
  const auto index = node.op().schema().index_of(name);
  return index ? &node.args()[*index] : nullptr;
}

GraphValue* tensor_argument(const Node& node, size_t index) {
  if (index >= node.args().size() || node.args()[index].kind() != NodeArgument::Kind::Value)
    return nullptr;
  GraphValue& value = node.args()[index].value();
  return is_plain_cpu(value.tensor()) ? &value : nullptr;
}

// ---- Pointwise ----

std::optional<PointwiseFormula> formula_of(const Node& node) {
  SmallVector<OpwValue, 8> args;
  std::vector<Tensor> tensors(node.args().size());  // keeps borrowed tensors alive
  for (size_t i = 0; i < node.args().size(); ++i) {
    const NodeArgument& argument = node.args()[i];
    if (argument.kind() == NodeArgument::Kind::List) return std::nullopt;
    if (argument.kind() == NodeArgument::Kind::Constant) {
      args.push_back(argument.constant().get());
      continue;
    }
    tensors[i] = argument.value().tensor();
    if (!is_plain_cpu(tensors[i])) return std::nullopt;
    args.push_back(ValueOf<Tensor>::lend(tensors[i]));
  }
  return find_formula(node.op(), args);
}

bool is_symbol(const PointwiseFormula::Operand& operand) {
  return operand.is_number && operand.number.tag() == kOpwSymInt;
}

std::optional<PointNode> describe_formula(const Node& node) {
  std::optional<PointwiseFormula> formula = formula_of(node);
  if (!formula) return std::nullopt;
  PointNode point;
  for (const PointwiseFormula::Operand& operand : formula->operands) {
    if (!operand.is_number)
      point.inputs.push_back(&node.args()[operand.argument].value());
    else if (is_symbol(operand))
      point.symbols.push_back(operand.number.sym_int());
  }
  point.add = [formula = std::move(*formula)](LaneBuilder& lanes,
                                              std::span<const uint32_t> inputs) {
    std::vector<uint32_t> operands;
    const DType compute = lane_dtype(formula.compute);
    size_t next = 0;
    auto symbol = static_cast<size_t>(std::ranges::count_if(
        formula.operands, [](const auto& operand) { return !operand.is_number; }));
    for (size_t i = 0; i < formula.operands.size(); ++i) {
      const PointwiseFormula::Operand& operand = formula.operands[i];
      if (is_symbol(operand)) {
        operands.push_back(lanes.convert(inputs[symbol++], compute));
      } else if (operand.is_number) {  // already rounded
        operands.push_back(lanes.constant(operand.number, compute));
      } else if (formula.has_condition && i == 0) {
        operands.push_back(lanes.convert(inputs[next++], DType::Bool));
      } else {
        const DType met = operand.keeps_wide ? compute : formula.common;
        operands.push_back(lanes.convert(lanes.convert(inputs[next++], met), compute));
      }
    }
    const uint32_t result =
        add_formula(lanes, formula.text, operands, formula.numbers, lane_dtype(formula.compute));
    return lanes.convert(result, formula.result);
  };
  return point;
}

// ---- Copies and constants ----

std::optional<PointNode> describe_copy(const Node& node) {
  static const OperatorMap<uint32_t> copied_arguments{
      {"aten::copy", 1}, {"aten::clone", 0}, {"aten::_to_copy", 0}, {"aten::lift_fresh_copy", 0}};
  const uint32_t* copied = copied_arguments.find(node.op());
  if (!copied) return std::nullopt;
  GraphValue* from = tensor_argument(node, *copied);
  const Tensor to = node.values()[0].tensor();
  if (!from || !is_plain_cpu(to)) return std::nullopt;
  PointNode point{.inputs = {from}};
  point.is_trivial = from->tensor().dtype() == to.dtype();
  point.add = [dtype = to.dtype()](LaneBuilder& lanes, std::span<const uint32_t> inputs) {
    return lanes.convert(inputs[0], dtype);
  };
  return point;
}

std::optional<PointNode> describe_constant(const Node& node) {
  struct Filled {
    std::string_view argument;  // that specifies the number
    int number = 0;
  };
  static const OperatorMap<Filled> filled{
      {"aten::full", {"fill_value"}},   {"aten::full_like", {"fill_value"}},
      {"aten::fill.Scalar", {"value"}}, {"aten::scalar_tensor", {"s"}},
      {"aten::zeros", {"", 0}},         {"aten::zeros_like", {"", 0}},
      {"aten::ones", {"", 1}},          {"aten::ones_like", {"", 1}}};
  const Filled* found = filled.find(node.op());
  if (!found || !is_plain_cpu(node.values()[0].tensor())) return std::nullopt;
  Scalar number(found->number);
  if (const NodeArgument* given = find_argument(node, found->argument)) {
    const OpwValue& value = given->constant().get();
    if (given->kind() != NodeArgument::Kind::Constant || value.tag == kOpwSymInt)
      return std::nullopt;
    number = ValueOf<Scalar>::read(value);
  }
  PointNode point{.is_trivial = true};
  point.add = [number, dtype = node.values()[0].tensor().dtype()](
                  LaneBuilder& lanes, std::span<const uint32_t> /*inputs*/) {
    return lanes.convert(lanes.constant(number, dtype), dtype);
  };
  return point;
}

// ---- Reductions ----

struct FoldRule {
  LaneOp op;
  bool is_mean = false;
};

const FoldRule* find_fold_rule(const Operator& op) {
  static const OperatorMap<FoldRule> rules{
      {"aten::sum", {LaneOp::FoldSum}},        {"aten::sum.dim_IntList", {LaneOp::FoldSum}},
      {"aten::mean", {LaneOp::FoldSum, true}}, {"aten::mean.dim", {LaneOp::FoldSum, true}},
      {"aten::prod", {LaneOp::FoldProduct}},   {"aten::prod.dim_int", {LaneOp::FoldProduct}},
      {"aten::amax", {LaneOp::FoldMaximum}},   {"aten::amin", {LaneOp::FoldMinimum}},
      {"aten::max", {LaneOp::FoldMaximum}},    {"aten::min", {LaneOp::FoldMinimum}},
      {"aten::any", {LaneOp::FoldOr}},         {"aten::any.dim", {LaneOp::FoldOr}},
      {"aten::any.dims", {LaneOp::FoldOr}},    {"aten::all", {LaneOp::FoldAnd}},
      {"aten::all.dim", {LaneOp::FoldAnd}},    {"aten::all.dims", {LaneOp::FoldAnd}}};
  return rules.find(op);
}

// The dimensions named by the argument `dim`; none or an empty list: all.
std::optional<std::vector<bool>> folded_dims(const Node& node, int64_t ndim) {
  const NodeArgument* given = find_argument(node, "dim");
  std::vector<int64_t> named;
  if (given) {
    if (given->kind() != NodeArgument::Kind::Constant) return std::nullopt;
    const OpwValue& value = given->constant().get();
    if (value.tag == kOpwInt) {
      named.push_back(ValueOf<int64_t>::read(value));
    } else if (value.tag != kOpwNone) {
      const auto list = ValueOf<std::vector<int64_t>>::read(value);
      named.assign(list.begin(), list.end());
    }
  }
  std::vector<bool> folded(static_cast<size_t>(ndim), named.empty());
  for (const int64_t dim : named) {
    if (ndim == 0) break;
    folded[static_cast<size_t>(dim < 0 ? dim + ndim : dim)] = true;
  }
  return folded;
}

DType fold_compute(LaneOp op, DType from, DType result) {
  if (op == LaneOp::FoldAnd || op == LaneOp::FoldOr) return DType::Bool;
  return op == LaneOp::FoldSum || op == LaneOp::FoldProduct ? result : from;
}

std::optional<PointNode> describe_fold(const Node& node, const FusionTarget& target) {
  const FoldRule* found = find_fold_rule(node.op());
  GraphValue* from = found ? tensor_argument(node, 0) : nullptr;
  if (!from) return std::nullopt;
  std::optional<std::vector<bool>> dims = folded_dims(node, from->tensor().dim());
  if (!dims || std::ranges::none_of(*dims, [](bool is_folded) { return is_folded; }))
    return std::nullopt;
  const DType result = node.values()[0].tensor().dtype();
  const DType compute = fold_compute(found->op, from->tensor().dtype(), result);
  if (!target.can_emit(found->op, lane_dtype(compute)) ||
      !target.can_emit(LaneOp::Load, from->tensor().dtype()))
    return std::nullopt;
  if (found->is_mean && lane_dtype(compute) != DType::Float32 && compute != DType::Float64)
    return std::nullopt;
  PointNode point{.inputs = {from}};
  point.fold = {.op = found->op,
                .dims = std::move(*dims),
                .is_mean = found->is_mean,
                .compute = compute,
                .result = result};
  return point;
}

// ---- All ----

// Builds the lanes once, to see whether they can be emitted and how costly they are.
bool try_lanes(PointNode& point, const FusionTarget& target) {
  std::vector<Lane> lanes;
  LaneBuilder builder(lanes, target);
  std::vector<uint32_t> inputs;
  for (const GraphValue* input : point.inputs)
    inputs.push_back(builder.load(static_cast<uint32_t>(inputs.size()), input->tensor().dtype()));
  for (uint32_t i = 0; i < point.symbols.size(); ++i) inputs.push_back(builder.number(i));
  point.add(builder, inputs);
  point.is_costly = std::ranges::any_of(lanes, [](const Lane& lane) { return is_costly(lane.op); });
  return builder.can_be_emitted();
}

}  // namespace

std::optional<PointNode> describe_point(const Node& node, const FusionTarget& target) {
  if (node.kind() != NodeKind::Call || node.values().size() != 1 || node.op().writes_arguments() ||
      node.op().gives_views() || !node.values()[0].tensor().is_defined())
    return std::nullopt;
  if (std::optional<PointNode> fold = describe_fold(node, target)) return fold;
  std::optional<PointNode> point = describe_formula(node);
  if (!point) point = describe_copy(node);
  if (!point) point = describe_constant(node);
  if (!point || !try_lanes(*point, target)) return std::nullopt;
  return point;
}

}  // namespace opwright
