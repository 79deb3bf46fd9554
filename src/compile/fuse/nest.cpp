#include "opwright/compile/fuse/nest.h"

#include <array>
#include <cstddef>
#include <string>

#include <fmt/format.h>

namespace opwright {
namespace {

constexpr auto kNames = std::to_array<const char*>(
    {"load",         "constant",     "number",       "add",       "subtract",      "multiply",
     "divide",       "divide_trunc", "divide_floor", "remainder", "fmod",          "negate",
     "absolute",     "minimum",      "maximum",      "fma",       "copysign",      "equal",
     "not_equal",    "less",         "less_equal",   "greater",   "greater_equal", "isnan",
     "and",          "or",           "xor",          "not",       "shift_left",    "shift_right",
     "select",       "cast",         "round_half",   "floor",     "ceil",          "trunc",
     "round",        "sqrt",         "rsqrt",        "exp",       "exp2",          "expm1",
     "log",          "log2",         "log10",        "log1p",     "sin",           "cos",
     "tanh",         "sigmoid",      "erf",          "pow",       "fold_sum",      "fold_product",
     "fold_minimum", "fold_maximum", "fold_and",     "fold_or"});
static_assert(kNames.size() == static_cast<size_t>(LaneOp::FoldOr) + 1);

std::string nest_text(const NestExtent& extent) {
  return extent.is_fixed() ? std::to_string(extent.fixed) : fmt::format("n{}", extent.number);
}

std::string nest_text(const NestStride& stride) {
  return stride.is_fixed ? std::to_string(stride.fixed) : "?";
}

std::string nest_text(const Lane& lane) {
  std::string text = lane_op_name(lane.op);
  if (lane.op == LaneOp::Load) text += fmt::format(" {}", lane.operand);
  if (lane.op == LaneOp::Number) text += fmt::format(" n{}", lane.integer);
  if (lane.op == LaneOp::Constant) {
    const bool is_float = lane.dtype == DType::Float32 || lane.dtype == DType::Float64;
    text += is_float ? fmt::format(" {}", lane.number) : fmt::format(" {}", lane.integer);
  }
  if (lane.op == LaneOp::RoundHalf) text += fmt::format(" {}", dtype_name_or_null(lane.half));
  for (const uint32_t arg : lane.args) text += fmt::format(" %{}", arg);
  return text;
}

}  // namespace

bool is_costly(LaneOp op) noexcept {
  switch (op) {
    case LaneOp::DivideTrunc:
    case LaneOp::DivideFloor:
    case LaneOp::Remainder:
    case LaneOp::Fmod:
      return true;
    default:
      return op >= LaneOp::Exp && op <= LaneOp::Power;
  }
}

const char* lane_op_name(LaneOp op) noexcept { return kNames[static_cast<size_t>(op)]; }

std::string to_text(const Nest& nest) {
  std::string text = "rows";
  for (const NestExtent& extent : nest.rows) text += " " + nest_text(extent);
  text += " depth";
  for (const NestExtent& extent : nest.depth) text += " " + nest_text(extent);
  text += " columns " + nest_text(nest.columns) + (nest.folds_columns ? " folded\n" : "\n");
  for (size_t i = 0; i < nest.operands.size(); ++i) {
    const NestOperand& operand = nest.operands[i];
    text += fmt::format("operand {}{} {} [", i, operand.is_written ? " written" : "",
                        dtype_name_or_null(operand.dtype));
    for (size_t loop = 0; loop < operand.strides.size(); ++loop)
      text += (loop == 0 ? "" : ", ") + nest_text(operand.strides[loop]);
    text += "]\n";
  }
  for (size_t i = 0; i < nest.lanes.size(); ++i) {
    text += fmt::format("%{} {} = {}\n", i, dtype_name_or_null(nest.lanes[i].dtype),
                        nest_text(nest.lanes[i]));
  }
  for (const NestStore& store : nest.stores)
    text += fmt::format("store {} %{}\n", store.operand, store.lane);
  return text;
}

}  // namespace opwright
