#include "opwright/convert/size_walk.h"

#include <cstdint>
#include <optional>
#include <span>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

class Walk {
 public:
  explicit Walk(SizeTarget& target) : target_(target) {}

  uint32_t word(OpwSymWord size) {
    if (!is_symbolic(size)) return target_.number(size);
    if (const auto known = target_.find(size)) return *known;
    const uint32_t made = expression(expression_of(size));
    target_.keep(size, made);
    return made;
  }

 private:
  uint32_t expression(const Expression& made) {
    switch (made.kind) {
      case ExpressionKind::Symbol:
        return target_.symbol(*made.name);
      case ExpressionKind::Sum:
        return sum(made);
      case ExpressionKind::Product:
      case ExpressionKind::And:
        return fold(SizeOperation::Mul, made.operands);
      case ExpressionKind::Max:
      case ExpressionKind::Or:
        return fold(SizeOperation::Max, made.operands);
      case ExpressionKind::Min:
        return fold(SizeOperation::Min, made.operands);
      case ExpressionKind::FloorDiv:
        return floor_div(made.operands[0], made.operands[1]);
      case ExpressionKind::Mod:
        return fold(SizeOperation::Mod, made.operands);
      case ExpressionKind::Equal:
        return compare(SizeOperation::Equal, made.operands[0]);
      case ExpressionKind::NotEqual:
        return compare(SizeOperation::NotEqual, made.operands[0]);
      case ExpressionKind::AtMost:
        return compare(SizeOperation::AtMost, made.operands[0]);
    }
    throw_error("RuntimeError", "a size of an unknown kind cannot be converted");
  }

  uint32_t fold(SizeOperation operation, std::span<const OpwSymWord> operands) {
    uint32_t result = word(operands.front());
    for (const OpwSymWord each : operands.subspan(1))
      result = target_.compute(operation, result, word(each));
    return result;
  }

  uint32_t sum(const Expression& made) {
    std::optional<uint32_t> result;
    for (const SumTerm& term : made.terms) {
      uint32_t scaled = word(word_of(*term.monomial));
      const bool is_subtracted = term.coefficient == -1 && result;
      if (term.coefficient != 1 && !is_subtracted)
        scaled = target_.compute(SizeOperation::Mul, scaled, target_.number(term.coefficient));
      if (result) {
        const SizeOperation operation = is_subtracted ? SizeOperation::Sub : SizeOperation::Add;
        scaled = target_.compute(operation, *result, scaled);
      }
      result = scaled;
    }
    if (made.constant == 0) return *result;
    return target_.compute(SizeOperation::Add, *result, target_.number(made.constant));
  }

  uint32_t floor_div(OpwSymWord numerator, OpwSymWord divisor) {
    const uint32_t a = word(numerator);
    const uint32_t b = word(divisor);
    const bool is_plain = made_range(numerator).least >= 0 && made_range(divisor).least > 0;
    return target_.compute(is_plain ? SizeOperation::Div : SizeOperation::FloorDiv, a, b);
  }

  uint32_t compare(SizeOperation operation, OpwSymWord operand) {
    const uint32_t a = word(operand);
    return target_.compute(operation, a, target_.number(0));
  }

  SizeTarget& target_;
};

}  // namespace

uint32_t write_size(SizeTarget& target, OpwSymWord size) { return Walk(target).word(size); }

}  // namespace opwright
