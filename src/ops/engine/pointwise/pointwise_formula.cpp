#include "opwright/ops/engine/pointwise/pointwise_formula.h"

#include <algorithm>
#include <cmath>

#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/pointwise/pointwise_registration.h"
#include "opwright/ops/engine/pointwise/pointwise_result.h"

namespace opwright {
namespace {

Scalar rounded_to(const Scalar& number, DType half) {
  if (half == DType::Float16) return static_cast<float>(number_as<Half>(number));
  return static_cast<float>(number_as<BFloat16>(number));
}

bool rounds_numbers(const PointwiseOp& op, DType compute) {
  return is_half(compute) && !op.keeps_numbers_wide;
}

bool is_symbolic_operand(const PointwiseOperand& operand) {
  return !operand.is_tensor() && operand.number.tag() == kOpwSymInt;
}

bool is_unsafe_divisor(const PointwiseOperand& divisor) {
  if (divisor.is_tensor() || is_symbolic_operand(divisor)) return true;
  const auto value = divisor.number.to<int64_t>();
  return value == 0 || value == -1;  // the smallest int divided by -1 overflows
}

// Known only at run time, or not usable in a formula.
bool is_unknown(const Scalar& number) {
  return number.is_complex() || (number.is_floating() && std::isnan(number.to<double>()));
}

uint32_t find_argument(Arguments args, const Tensor* tensor) {
  const auto is_it = [&](const OpwValue& value) {
    return value.tag == kOpwTensor && &borrow_tensor(value) == tensor;
  };
  return static_cast<uint32_t>(std::ranges::find_if(args, is_it) - args.begin());
}

}  // namespace

const char* formula_text(const PointwiseOp& op, DType compute) {
  if (is_complex(compute)) return nullptr;
  const char* text = op.formula;
  if (compute == DType::Bool && op.formula_of_bools) text = op.formula_of_bools;
  if (is_integral(compute) && compute != DType::Bool && op.formula_of_ints)
    text = op.formula_of_ints;
  return text && *text ? text : nullptr;
}

Scalar number_in_formula(const Scalar& number, DType compute) {
  if (number.tag() == kOpwSymInt) return number;
  switch (kernel_dtype(compute)) {
    case DType::Bool:
      return number_as<bool>(number);
    case DType::UInt8:
      return number_as<uint8_t>(number);
    case DType::UInt16:
      return number_as<uint16_t>(number);
    case DType::UInt32:
      return number_as<uint32_t>(number);
    case DType::Int8:
      return number_as<int8_t>(number);
    case DType::Int16:
      return number_as<int16_t>(number);
    case DType::Int32:
      return number_as<int32_t>(number);
    case DType::UInt64:
    case DType::Int64:
      // As an int it would be a symbol word.
      if (number.is_floating() && number.to<double>() < -0x1p62) return number;
      return number_as<int64_t>(number);
    case DType::Float32:
      return number_as<float>(number);
    default:
      return number_as<double>(number);
  }
}

Scalar operand_in_formula(const PointwiseOp& op, const Scalar& number, DType compute) {
  return rounds_numbers(op, compute) ? rounded_to(number, compute)
                                     : number_in_formula(number, compute);
}

bool keeps_wide(const PointwiseOp& op, const Tensor& operand, DType compute) {
  return is_half(compute) && op.keeps_numbers_wide && operand.dim() == 0;
}

std::optional<PointwiseFormula> find_formula(const Operator& op, Arguments args, bool may_trap) {
  const std::optional<PointwiseCall> call = read_pointwise_call(op, args);
  if (!call || !call->op->kernels) return std::nullopt;
  const PointwiseTypes types = find_types(*call);
  PointwiseFormula formula;
  formula.text = formula_text(*call->op, types.compute);
  if (!formula.text) return std::nullopt;
  if (!may_trap && call->op->refuses_zero && is_integral(types.compute) &&
      is_unsafe_divisor(call->operands[1]))
    return std::nullopt;
  if (std::ranges::any_of(call->numbers, is_unknown)) return std::nullopt;
  formula.has_condition = call->op->has_condition;
  formula.common = types.common;
  formula.compute = types.compute;
  formula.result = types.result;
  if (rounds_numbers(*call->op, types.compute) &&
      std::ranges::any_of(call->operands, is_symbolic_operand))
    return std::nullopt;
  for (const PointwiseOperand& each : call->operands) {
    PointwiseFormula::Operand& operand = formula.operands.emplace_back();
    operand.is_number = !each.is_tensor();
    if (each.is_tensor()) {
      operand.argument = find_argument(args, each.tensor);
      operand.keeps_wide = keeps_wide(*call->op, *each.tensor, types.compute);
    } else {
      operand.number = operand_in_formula(*call->op, each.number, types.compute);
    }
  }
  for (const Scalar& number : call->numbers)
    formula.numbers.push_back(number_in_formula(number, types.compute));
  return formula;
}

}  // namespace opwright
