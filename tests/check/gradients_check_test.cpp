// The checks "gradients" and "gradcheck": wrong derivatives, and functions whose derivatives only
// look wrong.
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/autograd/history.h"
#include "opwright/complex.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/runtime/opcheck.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// ---- Operators ----

Tensor gradients_square(const Tensor& x) { return x * x; }
Tensor product(const Tensor& x, const Tensor& y) { return x * y; }
Tensor only_float(const Tensor& x) {
  OPWRIGHT_CHECK_TYPE(x.dtype() == DType::Float32, "only_float: takes float32, got ", x.dtype());
  return x * x;
}
// In place: the derivative depends on the value before.
void square_in_place(Tensor& x) { x.mul_(x.clone()); }

void save_x(AutogradContext& context, const Tensor& x, const Tensor& /*y*/) { context.save({x}); }
void save_both(AutogradContext& context, const Tensor& x, const Tensor& y, const Tensor& /*z*/) {
  context.save({x, y});
}
void save_written(AutogradContext& context, const Tensor& x) { context.save({x}); }

Gradients right_gradient(const AutogradContext& context, const Tensor& g) {
  return {g * context.saved(0) * 2.0};
}
Gradients wrong_gradient(const AutogradContext& context, const Tensor& g) {
  return {g * context.saved(0) * 3.0};
}
Gradients none(const AutogradContext& /*context*/, const Tensor& /*g*/) { return {Tensor()}; }
Gradients nearly(const AutogradContext& context, const Tensor& g) {
  const Tensor gradient = g * context.saved(0) * 2.0;
  if (gradient.numel() > 0 && gradient.dtype() == DType::Float64)
    gradient.mutable_data<double>()[gradient.numel() - 1] *= 1.01;
  return {gradient};
}
Gradients not_conjugated(const AutogradContext& context, const Tensor& g) {
  return {g * context.saved(0) * 2.0};
}
Gradients wrong_for_y(const AutogradContext& context, const Tensor& g) {
  return {g * context.saved(1), g * context.saved(1)};
}
Tensor right_tangent(const Tensor& x, const Tensor& tangent) { return x * tangent * 2.0; }
Tensor wrong_tangent(const Tensor& x, const Tensor& tangent) { return x * tangent; }
Gradients straight_through(const AutogradContext& /*context*/, const Tensor& g) { return {g}; }

OPWRIGHT_LIBRARY(gradients_check_test, m) {
  for (const char* name : {"right", "wrong", "none", "nearly", "not_conjugated", "only_float",
                           "only_float_wrong", "round", "right_tangent", "wrong_tangent"}) {
    m.def(concatenate(name, "(Tensor x) -> Tensor"));
  }
  m.def("wrong_for_y(Tensor x, Tensor y) -> Tensor");
  m.def("old_value_(Tensor(a!) x) -> ()");
  m.def("new_value_(Tensor(a!) x) -> ()");
  m.def("no_formula(Tensor x) -> Tensor");
  m.register_autograd("right", &save_x, &right_gradient);
  m.register_autograd("wrong", &save_x, &wrong_gradient);
  m.register_autograd("right_tangent", &save_x, &right_gradient);
  m.register_jvp("right_tangent", &right_tangent);
  m.register_autograd("wrong_tangent", &save_x, &right_gradient);
  m.register_jvp("wrong_tangent", &wrong_tangent);
  m.register_autograd("none", &none);
  m.register_autograd("nearly", &save_x, &nearly);
  m.register_autograd("not_conjugated", &save_x, &not_conjugated);
  m.register_autograd("only_float", &save_x, &right_gradient);
  m.register_autograd("only_float_wrong", &save_x, &wrong_gradient);
  m.register_autograd("round", &straight_through);
  m.register_autograd("wrong_for_y", &save_both, &wrong_for_y);
  m.register_autograd("old_value_", &save_written, &right_gradient);
  m.keep_old("old_value_", {0});
  m.register_autograd("new_value_", &save_written, &right_gradient);
}
OPWRIGHT_LIBRARY_IMPL(gradients_check_test, CPU, m) {
  for (const char* name : {"right", "wrong", "none", "nearly", "not_conjugated", "no_formula",
                           "right_tangent", "wrong_tangent"})
    m.impl(name, &gradients_square);
  m.impl("only_float", &only_float);
  m.impl("only_float_wrong", &only_float);
  m.impl("round", [](const Tensor& x) { return x.round(); });
  m.impl("wrong_for_y", &product);
  m.impl("old_value_", &square_in_place);
  m.impl("new_value_", &square_in_place);
}

// ---- Messages ----

Tensor given_numbers(std::initializer_list<double> values, DType dtype = DType::Float32) {
  const Tensor made = empty({static_cast<int64_t>(values.size())}, DType::Float64);
  std::copy(values.begin(), values.end(), made.mutable_data<double>());
  return made.to(dtype);
}

CheckReport check_gradients(const std::string& name, const std::string& op,
                            const std::vector<Value>& args) {
  OpcheckOptions options;
  options.checks = {name};
  options.examples = 0;
  return opcheck(op, args, options);
}
std::string found(const std::string& op, const std::vector<Value>& args,
                  const std::string& name = "gradients") {
  const std::string full = op.find("::") == std::string::npos ? "gradients_check_test::" + op : op;
  std::string text;
  for (const CheckFinding& each : check_gradients(name, full, args).findings)
    text += each.kind + ": " + each.message + "\n";
  return text;
}
std::string found(const std::string& op) { return found(op, {Value(given_numbers({1, -2, 3}))}); }

void expect_starts(const std::string& text, const std::string& begin) {
  EXPECT_EQ(text.substr(0, begin.size()), begin) << text;
}
void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(GradientsCheck, PassesRightFormulas) {
  EXPECT_EQ(found("right"), "");
  EXPECT_EQ(found("right", {Value(given_numbers({}))}), "");
  EXPECT_EQ(found("right", {Value(given_numbers({2}).sum())}), "");
  EXPECT_EQ(found("right", {Value(given_numbers({1, 2}, DType::BFloat16))}), "");
  EXPECT_EQ(found("right", {Value(given_numbers({1, 2}, DType::Int64))}), "");
  EXPECT_EQ(found("only_float"), "");
  EXPECT_EQ(found("old_value_"), "");
}

TEST(GradientsCheck, PassesRightFormulasOfTensorsThatRepeatOrSkipMemory) {
  EXPECT_EQ(found("right", {Value(given_numbers({1, 2}).unsqueeze(1).expand({2, 3}))}), "");
  const Tensor gaps = given_numbers({1, 2, 3, 4, 5}).slice(0, 0, 5, 2);
  EXPECT_EQ(found("right", {Value(gaps)}), "");
  EXPECT_EQ(found("aten::as_strided",
                  {Value(gaps), Value(std::vector<int64_t>{4}), Value(std::vector<int64_t>{1})}),
            "");  // also shows memory between the elements
  expect_starts(found("wrong", {Value(given_numbers({1, 2}).unsqueeze(1).expand({2, 3}))}),
                "wrong-gradient: ");
}

TEST(GradientsCheck, TellsBothSlopesAndWhoseTheyAre) {
  const std::string text = found("wrong");
  expect_starts(text,
                "wrong-gradient: gradients_check_test::wrong: the gradient of 'x' along a random "
                "direction is ");
  expect_has(text, ", differences of values give ");
  expect_has(text, "; correct its backward formula (");
  expect_has(text, "leave \"gradients\" out of test_utils");
}

TEST(GradientsCheck, NamesTheArgumentWhoseGradientIsWrong) {
  expect_has(found("wrong_for_y", {Value(given_numbers({1, 2})), Value(given_numbers({3, 5}))}),
             "the gradient of 'y' along");
}

TEST(GradientsCheck, MovesTheArgumentsThatRequireGradAndAllWhereNoneDoes) {
  const Tensor trained = given_numbers({1, 2});
  set_requires_grad(trained, true);

  EXPECT_EQ(found("wrong_for_y", {Value(trained), Value(given_numbers({3, 5}))}), "");
  expect_has(found("wrong_for_y", {Value(given_numbers({3, 5})), Value(trained)}),
             "the gradient of 'y'");
}

TEST(GradientsCheck, FindsAMissingGradientAndOneThatIsNearlyRight) {
  expect_has(found("none"), "along a random direction is 0, differences of values give");
  expect_starts(found("nearly"), "wrong-gradient: ");
}

TEST(GradientsCheck, FindsWrongFormulasOfKernelsThatTakeFloat32Alone) {
  expect_starts(found("only_float_wrong"), "wrong-gradient: ");
}

TEST(GradientsCheck, FindsAFormulaOfAnInPlaceOperatorThatReadsTheNewValue) {
  expect_starts(found("new_value_"), "wrong-gradient: ");
}

TEST(GradientsCheck, FindsAFormulaThatForgetsToConjugate) {
  const Tensor z = given_numbers({1, 3}).to(DType::Complex64) * Complex<double>(1, 2);
  expect_starts(found("not_conjugated", {Value(z)}), "wrong-gradient: ");
  EXPECT_EQ(found("aten::mul.Tensor", {Value(z), Value(z.clone())}), "");
}

TEST(GradientsCheck, FindsAWrongRuleOfForwardMode) {
  const std::string text = found("wrong_tangent");
  expect_starts(
      text, "wrong-gradient: gradients_check_test::wrong_tangent: the tangent that its jvp rule (");
  expect_has(text, "differences of values give");
  EXPECT_EQ(found("right_tangent"), "");
}

TEST(GradientsCheck, SaysNothingOfValuesThatGoInSteps) {
  EXPECT_EQ(found("round", {Value(given_numbers({0.3, 1.2}))}), "");
}

TEST(GradientsCheck, SaysNothingWhereThereIsNoSlope) {
  const Tensor corners = given_numbers({0, 0, 1, -1, 0.5, -0.5, 2, 2});
  for (const char* op : {"aten::relu", "aten::abs", "aten::sign", "aten::floor", "aten::round",
                         "aten::sqrt", "aten::log", "aten::acos", "aten::reciprocal", "aten::max",
                         "aten::prod", "aten::std", "aten::trunc", "aten::tan", "aten::rsqrt"}) {
    EXPECT_EQ(found(op, {Value(corners)}), "") << op;
  }
  EXPECT_EQ(found("aten::clamp", {Value(corners), Value(Scalar(-0.5)), Value(Scalar(0.5))}), "");
  EXPECT_EQ(found("aten::sort", {Value(corners)}), "");
  EXPECT_EQ(found("aten::maximum", {Value(corners), Value(corners.clone())}), "");
  EXPECT_EQ(found("aten::pow.Tensor_Tensor", {Value(corners), Value(corners.clone())}), "");
  EXPECT_EQ(found("aten::relu", {Value(given_numbers({INFINITY, NAN, 1}))}), "");
}

TEST(GradientsCheck, TakesRunningStatisticsForConstants) {
  const Tensor x = given_numbers({1, 2, 3, 4}).reshape({2, 2});
  EXPECT_EQ(found("aten::native_batch_norm",
                  {Value(x), Value(given_numbers({1, 2})), Value(given_numbers({3, 4})),
                   Value(given_numbers({0.5, 1})), Value(given_numbers({2, 3})), Value(false),
                   Value(0.1), Value(1e-5)}),
            "");
}

TEST(GradientsCheck, SkipsOperatorsWithoutAFormula) {
  const CheckReport report =
      check_gradients("gradients", "gradients_check_test::no_formula", {Value(given_numbers({1}))});
  ASSERT_EQ(report.lines.size(), 1u);
  EXPECT_EQ(report.lines[0].text, "it has no backward formula");
}

TEST(GradientsCheck, SkipsBackwardsWhoseArgumentsDependOnEachOther) {
  const Tensor x = given_numbers({1, 2});
  const Tensor buffer = (-x.abs()).exp();
  const CheckReport report =
      check_gradients("gradients", "aten::log_sigmoid_backward",
                      {Value(given_numbers({3, 4})), Value(x), Value(buffer)});
  ASSERT_EQ(report.lines.size(), 1u);
  EXPECT_EQ(report.lines[0].text,
            "it is the backward of another operator, and its arguments depend on each other");
}

TEST(GradcheckOnRequest, LooksAtEveryElementAndAtSecondDerivatives) {
  EXPECT_EQ(found("right", {Value(given_numbers({1, 2}))}, "gradcheck"), "");
  EXPECT_EQ(found("old_value_", {Value(given_numbers({1, 2}))}, "gradcheck"), "");
  expect_has(found("wrong", {Value(given_numbers({1, 2}))}, "gradcheck"),
             "the backward derivative of output 0 [0] by input 0 [0] is 3 by the formula");
}

}  // namespace
}  // namespace opwright
