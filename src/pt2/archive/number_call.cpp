#include "opwright/pt2/archive/number_call.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symint.h"
#include "opwright/value.h"

namespace opwright::pt2 {
namespace {

// A function of Python on one or two numbers. Sizes have it as `symbolic`.
struct NumberFunction {
  std::string_view target;
  size_t num_arguments;
  std::optional<OpwSymOp> symbolic;
  bool is_condition;  // its result is a bool
  double (*on_floats)(double, double);
};

double floor_mod(double a, double b) { return a - b * std::floor(a / b); }

constexpr auto kFunctions = std::to_array<NumberFunction>({
    {"_operator.add", 2, kOpwSymAdd, false, [](double a, double b) { return a + b; }},
    {"_operator.sub", 2, kOpwSymSub, false, [](double a, double b) { return a - b; }},
    {"_operator.mul", 2, kOpwSymMul, false, [](double a, double b) { return a * b; }},
    {"_operator.floordiv", 2, kOpwSymFloorDiv, false,
     [](double a, double b) { return std::floor(a / b); }},
    {"_operator.mod", 2, kOpwSymMod, false, &floor_mod},
    {"_operator.truediv", 2, std::nullopt, false, [](double a, double b) { return a / b; }},
    {"_operator.pow", 2, std::nullopt, false, [](double a, double b) { return std::pow(a, b); }},
    {"_operator.neg", 1, std::nullopt, false, [](double a, double) { return -a; }},
    {"_operator.pos", 1, std::nullopt, false, [](double a, double) { return a; }},
    {"_operator.eq", 2, kOpwSymEq, true, [](double a, double b) { return a == b ? 1. : 0.; }},
    {"_operator.ne", 2, kOpwSymNe, true, [](double a, double b) { return a != b ? 1. : 0.; }},
    {"_operator.lt", 2, kOpwSymLt, true, [](double a, double b) { return a < b ? 1. : 0.; }},
    {"_operator.le", 2, kOpwSymLe, true, [](double a, double b) { return a <= b ? 1. : 0.; }},
    {"_operator.gt", 2, kOpwSymGt, true, [](double a, double b) { return a > b ? 1. : 0.; }},
    {"_operator.ge", 2, kOpwSymGe, true, [](double a, double b) { return a >= b ? 1. : 0.; }},
    {"_operator.and_", 2, kOpwSymAnd, true, nullptr},
    {"_operator.or_", 2, kOpwSymOr, true, nullptr},
    {"torch.sym_not", 1, kOpwSymNot, true, nullptr},
    {"torch.sym_max", 2, kOpwSymMax, false, [](double a, double b) { return std::max(a, b); }},
    {"torch.sym_min", 2, kOpwSymMin, false, [](double a, double b) { return std::min(a, b); }},
    {"torch.sym_float", 1, std::nullopt, false, [](double a, double) { return a; }},
    {"torch.sym_sqrt", 1, std::nullopt, false, [](double a, double) { return std::sqrt(a); }},
});

bool is_whole(const OpwValue& value) {
  return value.tag == kOpwInt || value.tag == kOpwSymInt || value.tag == kOpwBool;
}

SymInt read_whole(const OpwValue& value) {
  if (value.tag == kOpwBool) return SymInt(value.as_int);
  return ValueOf<SymInt>::read(value);
}

double number_of(const OpwValue& value, std::string_view target) {
  if (value.tag == kOpwFloat) return value.as_double;
  OPWRIGHT_CHECK_TYPE(is_whole(value), target, ": a number is expected, got ", tag_name(value.tag));
  const SymInt whole = read_whole(value);
  OPWRIGHT_CHECK_KIND("NotImplementedError", !whole.is_symbolic(), target,
                      " of a size that is not known is not supported, got ", whole);
  return static_cast<double>(whole.word());
}

// Whether the result exceeds an int; Python's ints have no limit.
bool exceeds_64_bits(OpwSymOp op, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (op) {
    case kOpwSymAdd:
      return __builtin_add_overflow(a, b, &result);
    case kOpwSymSub:
      return __builtin_sub_overflow(a, b, &result);
    case kOpwSymMul:
      return __builtin_mul_overflow(a, b, &result);
    default:
      return false;
  }
}

// The results that Python gives as ints although sizes have no such function.
std::optional<Value> call_on_ints(const NumberFunction& function, const SymInt& a,
                                  const SymInt& b) {
  if (function.symbolic) {
    OPWRIGHT_CHECK_KIND("OverflowError",
                        a.is_symbolic() || b.is_symbolic() ||
                            !exceeds_64_bits(*function.symbolic, a.word(), b.word()),
                        function.target, " of ", a, " and ", b, " does not fit in 64 bits");
    const SymInt result = apply_sym(*function.symbolic, a, b);
    if (function.is_condition && !result.is_symbolic()) return Value(result.word() != 0);
    return Value(result);
  }
  if (function.target == "_operator.neg") return Value(SymInt(0) - a);
  if (function.target == "_operator.pos") return Value(a);
  if (function.target != "_operator.pow" || b.is_symbolic() || b.word() < 0 || b.word() > 62)
    return std::nullopt;
  SymInt power(1);
  for (int64_t i = 0; i < b.word(); ++i) {
    OPWRIGHT_CHECK_KIND("OverflowError",
                        a.is_symbolic() || power.is_symbolic() ||
                            !exceeds_64_bits(kOpwSymMul, power.word(), a.word()),
                        function.target, " of ", a, " and ", b, " does not fit in 64 bits");
    power = power * a;
  }
  return Value(power);
}

}  // namespace

std::string_view target_of(OpwSymOp op) noexcept {
  const auto found = std::ranges::find(kFunctions, std::optional(op), &NumberFunction::symbolic);
  OPWRIGHT_ASSERT(found != kFunctions.end());
  return found->target;
}

std::optional<Value> call_on_numbers(std::string_view target, std::span<const OpwValue> arguments) {
  const auto found = std::ranges::find(kFunctions, target, &NumberFunction::target);
  if (found == kFunctions.end()) return std::nullopt;
  OPWRIGHT_CHECK_TYPE(arguments.size() == found->num_arguments, target, ": expected ",
                      found->num_arguments, " arguments, got ", arguments.size());
  const OpwValue& first = arguments.front();
  const OpwValue& second = arguments.back();
  if (is_whole(first) && is_whole(second)) {
    if (auto result = call_on_ints(*found, read_whole(first), read_whole(second))) return result;
  }
  const double a = number_of(first, target);
  const double b = number_of(second, target);
  OPWRIGHT_CHECK_TYPE(found->on_floats, target, ": bools are expected, got floats");
  const double result = found->on_floats(a, b);
  return found->is_condition ? Value(result != 0) : Value(result);
}

}  // namespace opwright::pt2
