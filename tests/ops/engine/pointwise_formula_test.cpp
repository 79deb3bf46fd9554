#include "opwright/ops/engine/pointwise/pointwise_formula.h"

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "ops/formula_evaluator.h"
#include "ops/op_tensors.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/owned_results.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {
namespace {

using testing::FormulaEvaluator;
using testing::FormulaValue;
using testing::range;
using testing::tensor_of;

constexpr DType kRealDTypes[] = {DType::Bool,    DType::UInt8,  DType::Int8,    DType::Int16,
                                 DType::Int32,   DType::Int64,  DType::Float16, DType::BFloat16,
                                 DType::Float32, DType::Float64};

constexpr int kVariants = 5;

// Every value of the list is paired with its neighbours: argument i starts at position 3 i.
Tensor formula_samples(DType dtype, size_t argument) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  std::vector<double> values = {-2.5, -1,   3,  0,    1,   2,    0.3,  -0.25, 5,   -7,  0.75,
                                0.5,  -0.0, 20, -100, 0.1, 1e-6, -4.2, 88.5,  1.5, -0.8};
  if (is_floating(dtype)) values.insert(values.end(), {kInf, -kInf, std::nan("")});
  std::rotate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(argument * 3),
              values.end());
  const auto count = static_cast<int64_t>(values.size());
  return tensor_of<double>({count}, values).to(dtype);
}

// The arguments of one call. `variant` selects the non-tensor arguments.
class Example {
 public:
  Example(const Operator& op, DType dtype, int variant) {
    tensors_.reserve(op.num_arguments());
    for (const Argument& argument : op.schema().arguments) add(argument, dtype, variant);
  }
  [[nodiscard]] Arguments arguments() const { return values_; }

 private:
  void add(const Argument& argument, DType dtype, int variant) {
    static constexpr std::string_view kTexts[] = {"none", "tanh", "floor", "none", "tanh"};
    static const Scalar kNumbers[] = {2, 1, 3, 0.5, -2};
    OpwValue value{};
    switch (argument.type.required().kind()) {
      case TypeKind::Tensor: {
        const DType own = argument.name == "condition" ? DType::Bool : dtype;
        value = ValueOf<Tensor>::lend(tensors_.emplace_back(formula_samples(own, values_.size())));
        break;
      }
      case TypeKind::Scalar:
        value = ValueOf<Scalar>::lend(kNumbers[variant]);
        break;
      case TypeKind::Float:
        value = ValueOf<double>::lend(variant == 2 ? 1.25 : 0.125);
        break;
      case TypeKind::Int:
        value = ValueOf<int64_t>::lend(variant == 0 ? 0 : 1);
        break;
      case TypeKind::Bool:
        value = ValueOf<bool>::lend(variant == 1);
        break;
      default:
        value = ValueOf<std::string_view>::lend(
            argument.name == "rounding_mode" && variant == 1 ? "trunc" : kTexts[variant]);
    }
    if (argument.type.is_optional() && variant == 0 && argument.name != "min") value = OpwValue{};
    values_.push_back(value);
  }

  std::vector<Tensor> tensors_;
  std::vector<OpwValue> values_;
};

// Throws Error if the operator rejects the call.
Tensor compute(const Operator& op, Arguments args) {
  OwnedResults results(1);
  call(op, args, results.get());
  return ValueOf<Tensor>::read(results.get()[0]);
}

template <class T>
std::vector<double> evaluate(const PointwiseFormula& formula, Arguments args) {
  std::vector<std::vector<T>> columns;
  int64_t count = 1;
  for (const auto& operand : formula.operands) {
    if (operand.is_number) {
      columns.push_back({number_as<T>(operand.number)});
      continue;
    }
    const Tensor& tensor = borrow_tensor(args[operand.argument]);
    const Tensor met =
        formula.has_condition && columns.empty() ? tensor : tensor.to(formula.common);
    columns.push_back(testing::elements<T>(met.to(dtype_of<T>())));
    count = tensor.numel();
  }
  std::vector<T> numbers;
  for (const Scalar& number : formula.numbers) numbers.push_back(number_as<T>(number));
  std::vector<double> results;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<FormulaValue<T>> operands;
    for (const auto& column : columns)
      operands.push_back({column[column.size() == 1 ? 0 : static_cast<size_t>(i)],
                          formula.has_condition && operands.empty()});
    const auto value = FormulaEvaluator<T>(formula.text, operands, numbers).evaluate();
    results.push_back(static_cast<double>(value.number));
  }
  return results;
}

std::vector<double> evaluate(const PointwiseFormula& formula, Arguments args) {
  std::vector<double> results;
  for_dtype(kernel_dtype(formula.compute), "a formula", [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>) results = evaluate<T>(formula, args);
  });
  return results;
}

double tolerance_of(DType dtype) {
  if (dtype == DType::Float16) return 2e-3;
  if (dtype == DType::BFloat16) return 1.6e-2;
  if (dtype == DType::Float32) return 4e-6;
  return dtype == DType::Float64 ? 1e-13 : 0;
}

bool is_near(double value, double wanted, double tolerance) {
  if (std::isnan(wanted)) return std::isnan(value);
  if (value == wanted) return true;
  return std::abs(value - wanted) <= tolerance * std::max(std::abs(wanted), 0.1);
}

enum class Outcome { Refused, NoFormula, Compared };

Outcome compare(const Operator& op, DType dtype, int variant) {
  const Example example(op, dtype, variant);
  Tensor wanted;
  try {
    wanted = compute(op, example.arguments());
  } catch (const Error&) {
    return Outcome::Refused;
  }
  const auto formula = find_formula(op, example.arguments());
  if (!formula) return Outcome::NoFormula;
  EXPECT_EQ(formula->result, wanted.dtype()) << op.name();
  const auto eager = testing::elements<double>(wanted.to(DType::Float64));
  const auto values = evaluate(*formula, example.arguments());
  EXPECT_EQ(values.size(), eager.size()) << op.name();
  const double tolerance = tolerance_of(formula->result);
  for (size_t i = 0; i < values.size(); ++i) {
    const double rounded = testing::elements<double>(
        tensor_of<double>({1}, {values[i]}).to(wanted.dtype()).to(DType::Float64))[0];
    EXPECT_TRUE(is_near(rounded, eager[i], tolerance))
        << op.name() << " of " << dtype_name_or_null(dtype) << ", element " << i << ": "
        << formula->text << " gives " << rounded << ", the kernel " << eager[i];
  }
  return Outcome::Compared;
}

std::vector<const Operator*> pointwise_operators() {
  std::vector<const Operator*> result;
  for (const Operator* op : Registry::get().list("aten")) {
    const OpwRecord* record = op->record(Slot::Cpu);
    const OpwRecord* neg = Registry::get().require("aten::neg").record(Slot::Cpu);
    if (record && record->function == neg->function && !op->writes_arguments())
      result.push_back(op);
  }
  return result;
}

TEST(PointwiseFormula, AgreesWithTheKernelForEveryOperatorAndDType) {
  std::map<std::string, std::set<std::string>> without;
  int compared = 0;
  for (const Operator* op : pointwise_operators()) {
    for (const DType dtype : kRealDTypes) {
      for (int variant = 0; variant < kVariants; ++variant) {
        const Outcome outcome = compare(*op, dtype, variant);
        compared += outcome == Outcome::Compared ? 1 : 0;
        if (outcome == Outcome::NoFormula)
          without[op->name()].insert(is_floating(dtype) ? "floats" : "ints");
      }
    }
  }

  EXPECT_GT(compared, 2000);
  // No lane operation is an inverse of sin, cos or tan. Powers of ints are loops, and ints throw on
  // division by zero.
  // Special functions are calls in compiled functions: lanes have no polynomials of their degree.
  std::erase_if(without, [](const auto& each) { return each.first.starts_with("aten::special_"); });
  const std::map<std::string, std::set<std::string>> expected = {
      {"aten::acos", {"floats", "ints"}},
      {"aten::asin", {"floats", "ints"}},
      {"aten::atan", {"floats", "ints"}},
      {"aten::atan2", {"floats", "ints"}},
      {"aten::pow.Scalar", {"ints"}},
      {"aten::pow.Tensor_Scalar", {"ints"}},
      {"aten::pow.Tensor_Tensor", {"ints"}},
      {"aten::bitwise_left_shift.Scalar_Tensor", {"ints"}},
      {"aten::bitwise_left_shift.Tensor", {"ints"}},
      {"aten::bitwise_left_shift.Tensor_Scalar", {"ints"}},
      {"aten::bitwise_right_shift.Scalar_Tensor", {"ints"}},
      {"aten::bitwise_right_shift.Tensor", {"ints"}},
      {"aten::bitwise_right_shift.Tensor_Scalar", {"ints"}},
      {"aten::digamma", {"floats", "ints"}},
      {"aten::erfc", {"floats", "ints"}},
      {"aten::erfinv", {"floats", "ints"}},
      {"aten::gcd", {"ints"}},
      {"aten::hypot", {"floats"}},
      {"aten::i0", {"floats", "ints"}},
      {"aten::igamma", {"floats"}},
      {"aten::igammac", {"floats"}},
      {"aten::isneginf", {"ints"}},
      {"aten::isposinf", {"ints"}},
      {"aten::lcm", {"ints"}},
      {"aten::lgamma", {"floats", "ints"}},
      {"aten::nextafter", {"floats"}},
      {"aten::polygamma", {"floats", "ints"}},
      {"aten::signbit", {"ints"}},
      {"aten::sinc", {"floats", "ints"}}};
  EXPECT_EQ(without, expected);
}

std::optional<PointwiseFormula> formula_of(const char* name, const std::vector<OpwValue>& args) {
  return find_formula(Registry::get().require(name), args);
}

TEST(PointwiseFormula, TellsOperandsByTheirArguments) {
  const Tensor x = range({3});
  const Tensor y = full({3}, 2, DType::Int64);
  const auto formula =
      formula_of("aten::rsub.Tensor",
                 {ValueOf<Tensor>::lend(x), ValueOf<Tensor>::lend(y), ValueOf<Scalar>::lend(1)});

  ASSERT_TRUE(formula);
  EXPECT_STREQ(formula->text, "x - y");
  EXPECT_EQ(formula->operands[0].argument, 1);
  EXPECT_EQ(formula->operands[1].argument, 0);
  EXPECT_EQ(formula->common, DType::Float32);
  EXPECT_EQ(formula->result, DType::Float32);
}

TEST(PointwiseFormula, RoundsNumbersAsKernelsDo) {
  const Tensor x = full({2}, 1, DType::BFloat16);
  const std::vector<OpwValue> args = {ValueOf<Tensor>::lend(x), ValueOf<Scalar>::lend(0.1)};

  EXPECT_EQ(formula_of("aten::mul.Scalar", args)->operands[1].number.to<double>(), 0.1F);
  EXPECT_EQ(formula_of("aten::fmod.Scalar", args)->operands[1].number.to<double>(), 0.10009765625);
}

TEST(PointwiseFormula, KeepsSymbolsThatNobodyAsks) {
  const auto env = make_intrusive<ShapeEnv>();
  const SymInt size = env->make_size(8, "x.size(0)");
  const Tensor x = range({3});
  const OpwValue symbol = ValueOf<SymInt>::lend(size);

  const auto formula = formula_of("aten::div.Scalar", {ValueOf<Tensor>::lend(x), symbol});
  ASSERT_TRUE(formula);
  EXPECT_EQ(formula->operands[1].number.sym_int().word(), size.word());
  EXPECT_FALSE(formula_of("aten::pow.Tensor_Scalar", {ValueOf<Tensor>::lend(x), symbol}));
  EXPECT_TRUE(env->guards().empty());
}

TEST(PointwiseFormula, IsForgottenWhereTheKernelIsReplaced) {
  const Tensor x = range({3});
  const std::vector<OpwValue> args = {ValueOf<Tensor>::lend(x)};
  const OpwRecord* other = Registry::get().require("aten::sum").record(Slot::Cpu);
  {
    const Registration replaced = Registry::get().implement(
        "aten::neg", Slot::Cpu, {other->function, other->self, nullptr, nullptr}, {});
    EXPECT_FALSE(formula_of("aten::neg", args));
  }
  EXPECT_TRUE(formula_of("aten::neg", args));
}

TEST(PointwiseFormula, HasNoneForWhatWritesOrMayThrow) {
  const Tensor x = full({3}, 5, DType::Int32);
  const OpwValue self = ValueOf<Tensor>::lend(x);

  EXPECT_FALSE(formula_of("aten::neg_", {self}));
  EXPECT_FALSE(formula_of("aten::fmod.Tensor", {self, self}));
  EXPECT_FALSE(formula_of("aten::fmod.Scalar", {self, ValueOf<Scalar>::lend(0)}));
  EXPECT_TRUE(formula_of("aten::fmod.Scalar", {self, ValueOf<Scalar>::lend(3)}));
}

}  // namespace
}  // namespace opwright
