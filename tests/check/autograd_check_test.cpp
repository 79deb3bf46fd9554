// The check "autograd": one faulty formula for each kind of fault, and sound ones.
//
// Covers: src/check/checks/formula_examination, src/check/checks/given_gradients.
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/autograd/history.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/registration/operator_handle.h"
#include "opwright/runtime/opcheck.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// ---- Operators ----

Tensor autograd_twice(const Tensor& x) { return x * 2.0; }
Tensor autograd_product(const Tensor& x, const Tensor& y) { return x * y; }
Tensor sum_all(const std::vector<Tensor>& xs) {
  OPWRIGHT_CHECK_VALUE(!xs.empty(), "sum_all: no tensors");
  Tensor sum = xs[0];
  for (size_t i = 1; i < xs.size(); ++i) sum = sum + xs[i];
  return sum * 1.0;
}
std::tuple<Tensor, Tensor> both(const Tensor& x) { return {x * 2.0, x * 3.0}; }
Tensor hidden(const Tensor& x) {
  static const Tensor weight = [] {
    const Tensor made = ones({1}, DType::Float32);
    set_requires_grad(made, true);
    return made;
  }();
  return x * weight;
}
void halve(Tensor& x) { x.mul_(0.5); }

void save_argument(AutogradContext& context, const Tensor& x, const Tensor& /*y*/) {
  context.save({x});
}
void save_result(AutogradContext& context, const Tensor& /*x*/, const Tensor& y) {
  context.save({y});
}
void save_scratch(AutogradContext& context, const Tensor& x, const Tensor& /*y*/) {
  context.save({x * 1.0});
}
void save_both_factors(AutogradContext& context, const Tensor& x, const Tensor& y,
                       const Tensor& /*z*/) {
  context.save({x, y});
}
void raise_in_setup(AutogradContext& /*context*/, const Tensor& /*x*/, const Tensor& /*y*/) {
  throw Error("ValueError", "nothing to save");
}

Gradients doubled(const AutogradContext& /*context*/, const Tensor& g) { return {g * 2.0}; }
Gradients two_for_one(const AutogradContext& /*context*/, const Tensor& g) { return {g, g}; }
Gradients one_number(const AutogradContext& /*context*/, const Tensor& g) { return {g.sum()}; }
Gradients in_double(const AutogradContext& /*context*/, const Tensor& g) {
  return {g.to(DType::Float64) * 2.0};
}
Gradients as_integers(const AutogradContext& /*context*/, const Tensor& g) {
  return {g.to(DType::Int64)};
}
Gradients writes_gradient(const AutogradContext& /*context*/, const Tensor& g) {
  Tensor written = g;
  return {written.mul_(2.0)};
}
Gradients writes_gradient_quietly(const AutogradContext& /*context*/, const Tensor& g) {
  if (g.numel() > 0) *g.mutable_data<float>() *= 2;
  return {g.clone()};
}
Gradients writes_saved(const AutogradContext& context, const Tensor& g) {
  context.saved(0).mul_(0.0);
  return {g * 2.0};
}
Gradients raises(const AutogradContext& /*context*/, const Tensor& /*g*/) {
  throw Error("ValueError", "not today");
}
Gradients counts_its_runs(const AutogradContext& /*context*/, const Tensor& g) {
  static double runs = 0;
  return {g * ++runs};
}
Gradients reads_gradient_as_contiguous(const AutogradContext& /*context*/, const Tensor& g) {
  const Tensor made = zeros(g.sizes(), g.dtype());
  const auto* from = g.data<float>();
  for (int64_t i = 0; i < g.numel(); ++i) made.mutable_data<float>()[i] = from[i] * 2;
  return {made};
}
Gradients of_product(const AutogradContext& context, const Tensor& g) {
  return {g * context.saved(1), g * context.saved(0)};
}
Gradients forgets_when_alone(const AutogradContext& context, const Tensor& g) {
  if (!context.needs_gradient(0)) return {Tensor(), g};
  return {g * context.saved(1), g * context.saved(0)};
}
Gradients refuses_y(const AutogradContext& context, const Tensor& g) {
  OPWRIGHT_CHECK_KIND("NotImplementedError", !context.needs_gradient(1), "no gradient of 'y'");
  return {g * context.saved(1), Tensor()};
}
Gradients for_three(const AutogradContext& /*context*/, const Tensor& g) {
  return Gradients().add(std::vector<Tensor>{g, g, g});
}
void want_undefined(AutogradContext& context, const Tensor& /*x*/, const Tensor& /*a*/,
                    const Tensor& /*b*/) {
  context.set_materialize_gradients(false);
}
Gradients needs_both(const AutogradContext& /*context*/, const Tensor& a, const Tensor& b) {
  return {a * 2.0 + b * 3.0};
}
Gradients of_halve(const AutogradContext& /*context*/, const Tensor& g) { return {g * 0.5}; }

OPWRIGHT_LIBRARY(autograd_check_test, m) {
  for (const char* name : {"sound", "no_formula", "counts_wrong", "wrong_shape", "wrong_dtype",
                           "integers", "writes_gradient", "writes_gradient_quietly",
                           "writes_argument", "writes_result", "writes_saved", "raises",
                           "raises_in_setup", "other_each_time", "wants_contiguous", "hidden"}) {
    m.def(concatenate(name, "(Tensor x) -> Tensor").c_str());
  }
  m.def("product(Tensor x, Tensor y) -> Tensor");
  m.def("forgets(Tensor x, Tensor y) -> Tensor");
  m.def("refuses_y(Tensor x, Tensor y) -> Tensor");
  m.def("sum_all(Tensor[] xs) -> Tensor");
  m.def("both(Tensor x) -> (Tensor, Tensor)");
  m.def("both_or_none(Tensor x) -> (Tensor, Tensor)");
  m.def("halve_(Tensor(a!) x) -> ()");
  m.def("body(Tensor x) -> Tensor");
  m.def("body_without(Tensor x) -> Tensor");
  m.def("tagged(Tensor x) -> Tensor", {Tag::Nondifferentiable});

  m.register_autograd("sound", &save_argument, &doubled);
  m.register_autograd("counts_wrong", &save_argument, &two_for_one);
  m.register_autograd("wrong_shape", &save_argument, &one_number);
  m.register_autograd("wrong_dtype", &save_argument, &in_double);
  m.register_autograd("integers", &save_argument, &as_integers);
  m.register_autograd("writes_gradient", &save_argument, &writes_gradient);
  m.register_autograd("writes_gradient_quietly", &save_argument, &writes_gradient_quietly);
  m.register_autograd("writes_argument", &save_argument, &writes_saved);
  m.register_autograd("writes_result", &save_result, &writes_saved);
  m.register_autograd("writes_saved", &save_scratch, &writes_saved);
  m.register_autograd("raises", &save_argument, &raises);
  m.register_autograd("raises_in_setup", &raise_in_setup, &doubled);
  m.register_autograd("other_each_time", &save_argument, &counts_its_runs);
  m.register_autograd("wants_contiguous", &save_argument, &reads_gradient_as_contiguous);
  m.register_autograd("hidden", &save_argument, &doubled);
  m.register_autograd("product", &save_both_factors, &of_product);
  m.register_autograd("refuses_y", &save_both_factors, &refuses_y);
  m.register_autograd("forgets", &save_both_factors, &forgets_when_alone);
  m.register_autograd("sum_all", &for_three);
  m.register_autograd("both", &needs_both);
  m.register_autograd("both_or_none", &want_undefined, &needs_both);
  m.register_autograd("halve_", &of_halve);
}
OPWRIGHT_LIBRARY_IMPL(autograd_check_test, CPU, m) {
  for (const char* name : {"sound", "no_formula", "counts_wrong", "wrong_shape", "wrong_dtype",
                           "integers", "writes_gradient", "writes_gradient_quietly",
                           "writes_argument", "writes_result", "writes_saved", "raises",
                           "raises_in_setup", "other_each_time", "wants_contiguous", "tagged"}) {
    m.impl(name, &autograd_twice);
  }
  m.impl("hidden", &hidden);
  m.impl("product", &autograd_product);
  m.impl("forgets", &autograd_product);
  m.impl("refuses_y", &autograd_product);
  m.impl("sum_all", &sum_all);
  m.impl("both", &both);
  m.impl("both_or_none", &both);
  m.impl("halve_", &halve);
}
OPWRIGHT_LIBRARY_IMPL(autograd_check_test, CompositeImplicitAutograd, m) {
  m.impl("body", &autograd_twice);
  m.impl("body_without", [](const Tensor& x) {
    return OperatorHandle<Tensor(const Tensor&)>("autograd_check_test::no_formula")(x);
  });
}

// ---- Messages ----

Tensor rising_numbers(std::initializer_list<int64_t> sizes = {2, 3}) {
  const std::vector<int64_t> all(sizes);
  const Tensor made = empty(all, DType::Float32);
  for (int64_t i = 0; i < made.numel(); ++i)
    made.mutable_data<float>()[i] = 0.5f + static_cast<float>(i);
  return made;
}

CheckReport check_autograd(const std::string& op, const std::vector<Value>& args) {
  OpcheckOptions options;
  options.checks = {"autograd"};
  options.examples = 0;
  return opcheck("autograd_check_test::" + op, args, options);
}

std::string found_by_autograd(const std::string& op, const std::vector<Value>& args) {
  std::string text;
  for (const CheckFinding& each : check_autograd(op, args).findings)
    text += each.kind + ": " + each.message + "\n";
  return text;
}
std::string found_by_autograd(const std::string& op) {
  return found_by_autograd(op, {Value(rising_numbers())});
}

void expect_begins(const std::string& text, const std::string& begin) {
  EXPECT_EQ(text.substr(0, begin.size()), begin) << text;
}
void expect_has_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(AutogradCheck, PassesSoundFormulas) {
  EXPECT_EQ(found_by_autograd("sound"), "");
  EXPECT_EQ(found_by_autograd("sound", {Value(rising_numbers({}))}), "");
  EXPECT_EQ(found_by_autograd("sound", {Value(rising_numbers({0, 3}))}), "");
  EXPECT_EQ(found_by_autograd("product", {Value(rising_numbers()), Value(rising_numbers())}), "");
  EXPECT_EQ(found_by_autograd("both"), "");
  EXPECT_EQ(found_by_autograd("halve_"), "");
  EXPECT_EQ(found_by_autograd("body"), "");
  EXPECT_EQ(found_by_autograd(
                "sum_all",
                {Value(std::vector<Tensor>{rising_numbers(), rising_numbers(), rising_numbers()})}),
            "");
}

TEST(AutogradCheck, RemarksOnAMissingFormulaUnlessTheExampleAsksForGradients) {
  const CheckReport report = check_autograd("no_formula", {Value(rising_numbers())});
  EXPECT_TRUE(report.ok());
  ASSERT_EQ(report.remarks.size(), 1u);
  EXPECT_EQ(report.remarks[0].message,
            "autograd_check_test::no_formula has no backward formula, so training through it is an "
            "error; register one with register_autograd, or tag the operator nondifferentiable");

  const Tensor trained = rising_numbers();
  set_requires_grad(trained, true);
  expect_begins(found_by_autograd("no_formula", {Value(trained)}),
                "missing-formula: autograd_check_test::no_formula has no backward formula");
}

TEST(AutogradCheck, RemarksOnAMissingFormulaInABody) {
  const CheckReport report = check_autograd("body_without", {Value(rising_numbers())});
  EXPECT_TRUE(report.ok());
  ASSERT_EQ(report.remarks.size(), 1u);
  expect_begins(report.remarks[0].message,
                "in the body of autograd_check_test::body_without: autograd_check_test::no_formula "
                "has no backward formula");
}

TEST(AutogradCheck, SkipsWhatHasNoGradients) {
  const CheckReport tagged = check_autograd("tagged", {Value(rising_numbers())});
  ASSERT_EQ(tagged.lines.size(), 1u);
  EXPECT_EQ(tagged.lines[0].text, "it is tagged nondifferentiable");
  EXPECT_EQ(found_by_autograd("counts_wrong", {Value(rising_numbers().to(DType::Int64))}), "");
}

TEST(AutogradCheck, FindsAWrongNumberOfGradients) {
  const std::string text = found_by_autograd("counts_wrong");
  expect_begins(text, "gradient-count: autograd_check_test::counts_wrong: its backward formula (");
  expect_has_part(text, "autograd_check_test.cpp:");
  expect_has_part(text, "returned 2 gradients, but the operator has 1 tensor arguments");
}

TEST(AutogradCheck, FindsAWrongNumberOfGradientsOfAList) {
  const std::string text = found_by_autograd(
      "sum_all", {Value(std::vector<Tensor>{rising_numbers(), rising_numbers()})});
  expect_begins(text, "gradient-count: autograd_check_test::sum_all: its backward formula (");
  expect_has_part(text,
                  "gives 3 gradients for 'xs', which has 1 tensor; return one for each, or None");
}

TEST(AutogradCheck, FindsGradientsOfWrongSizes) {
  const std::string text = found_by_autograd("wrong_shape");
  expect_begins(text, "gradient-shape: ");
  expect_has_part(text, "gives a gradient of sizes [] for 'x', which has sizes [");
  expect_has_part(text, "; a gradient has the sizes of its argument");
}

TEST(AutogradCheck, FindsGradientsOfADtypeThatNothingElseHas) {
  expect_begins(found_by_autograd("wrong_dtype"), "gradient-dtype: ");
  expect_has_part(found_by_autograd("wrong_dtype"),
                  "gives for 'x' of float32 a gradient of float64");
  expect_has_part(found_by_autograd("integers"), "gives for 'x' of float32 a gradient of int64");
  EXPECT_EQ(found_by_autograd("wrong_dtype", {Value(rising_numbers().to(DType::Float64))}), "");
}

TEST(AutogradCheck, FindsWritesToTheIncomingGradient) {
  expect_begins(found_by_autograd("writes_gradient"), "gradient-written: ");
  expect_has_part(found_by_autograd("writes_gradient"),
                  "writes to incoming gradient 0, which other code may share");
  expect_begins(found_by_autograd("writes_gradient_quietly"), "gradient-written: ");
}

TEST(AutogradCheck, FindsWritesToWhatTheCallGotGaveAndSaved) {
  expect_begins(found_by_autograd("writes_argument"), "input-written: ");
  expect_has_part(found_by_autograd("writes_argument"),
                  "writes to argument 'x': a backward must not modify them");
  expect_begins(found_by_autograd("writes_result"), "saved-written: ");
  expect_begins(found_by_autograd("writes_saved"), "saved-written: ");
  expect_has_part(found_by_autograd("writes_saved"), "writes to saved tensor 0");
}

TEST(AutogradCheck, ShowsWhatARuleRaisedWithItsLine) {
  expect_begins(found_by_autograd("raises"),
                "formula-raised: autograd_check_test::raises: its backward formula (");
  expect_has_part(found_by_autograd("raises"), ") raised ValueError: not today");
  expect_begins(found_by_autograd("raises_in_setup"),
                "formula-raised: autograd_check_test::raises_in_setup: its setup_context (");
  expect_has_part(found_by_autograd("raises_in_setup"), ") raised ValueError: nothing to save");
}

TEST(AutogradCheck, FindsAFormulaThatFailsWhenSomeResultsHaveNoGradient) {
  const std::string text = found_by_autograd("both_or_none");
  expect_begins(text, "formula-raised: ");
  expect_has_part(text, "when result 0 has no gradient");
}

TEST(AutogradCheck, TakesANotImplementedErrorForARefusalUnlessTheExampleAsksForTheGradient) {
  const Tensor trained = rising_numbers();
  set_requires_grad(trained, true);

  EXPECT_EQ(found_by_autograd("refuses_y", {Value(trained), Value(rising_numbers())}), "");
  expect_has_part(found_by_autograd("refuses_y", {Value(rising_numbers()), Value(trained)}),
                  "raised NotImplementedError: no gradient of 'y'");
}

TEST(AutogradCheck, FindsFormulasThatGiveOtherGradientsForTheSame) {
  expect_begins(found_by_autograd("other_each_time"), "backward-differs: ");
  expect_has_part(found_by_autograd("other_each_time"),
                  "returns a different gradient for 'x' when it runs again: ");
  expect_begins(found_by_autograd("wants_contiguous"), "backward-differs: ");
  expect_has_part(found_by_autograd("wants_contiguous"),
                  "for an incoming gradient that is not contiguous: ");
  const std::string text =
      found_by_autograd("forgets", {Value(rising_numbers()), Value(rising_numbers())});
  expect_begins(text, "backward-differs: ");
  expect_has_part(text, "different gradient for 'y' when other arguments do not require grad: ");
}

TEST(AutogradCheck, FindsAKernelThatHidesATensorThatRequiresGrad) {
  expect_begins(
      found_by_autograd("hidden"),
      "differentiates-itself: autograd_check_test::hidden: result 0 requires grad although "
      "no argument does");
}

}  // namespace
}  // namespace opwright
