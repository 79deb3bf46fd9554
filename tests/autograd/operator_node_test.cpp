// Covers: src/autograd/context, src/autograd/formula_node.
#include "opwright/autograd/operator_node.h"

#include <optional>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "base/expect_error.h"
#include "opwright/library.h"
#include "opwright/tensor/device/live_counts.h"

namespace opwright {
namespace {

using testing::floats;
using testing::gradient_values;
using testing::leaf;
using testing::range;
using testing::run_backward_of;
using testing::Values;

Tensor negate(const Tensor& x) { return x.neg(); }
std::tuple<Tensor, Tensor> both(const Tensor& x) { return {x.mul(2.0), x.mul(3.0)}; }
Tensor sum_all(const std::vector<Tensor>& xs) {
  Tensor sum = xs[0];
  for (size_t i = 1; i < xs.size(); ++i) sum = sum + xs[i];
  return sum;
}
Tensor scaled(const Tensor& x, double factor) { return x.mul(factor); }

Gradients wrong_sizes(const AutogradContext& /*context*/, const Tensor& /*gradient*/) {
  return {range({5})};
}
Gradients two_for_one(const AutogradContext& /*context*/, const Tensor& gradient) {
  return {gradient, gradient};
}
Gradients asks_too_much(const AutogradContext& context, const Tensor& gradient) {
  return {gradient * context.saved(3)};
}
Gradients asks_for_another(const AutogradContext& context, const Tensor& gradient) {
  return {gradient * context.attribute("weight")};
}
Gradients both_backward(const AutogradContext& /*context*/, const Tensor& first,
                        const Tensor& second) {
  return {first.mul(2.0) + second.mul(3.0)};
}
void both_lean_save(AutogradContext& context, const Tensor& /*x*/, const Tensor& /*first*/,
                    const Tensor& second) {
  context.set_materialize_gradients(false);
  context.mark_non_differentiable({second});
}
Gradients both_lean_backward(const AutogradContext& /*context*/, const Tensor& first,
                             const Tensor& second) {
  return {second.is_defined() ? first.mul(1000.0) : first.mul(2.0)};
}
Gradients sum_all_backward(const AutogradContext& /*context*/, const Tensor& gradient) {
  return Gradients().add(std::vector<Tensor>{gradient, Tensor(), gradient.mul(3.0)});
}
Gradients scaled_backward(const AutogradContext& context, const Tensor& gradient) {
  return {gradient.mul(context.attribute("factor"))};
}
void keeps_root(AutogradContext& context, const Tensor& x, double factor, const Tensor& result) {
  context.save({x, result, Tensor()});
  context.set_attribute("weight", factor + 1.0);
}
Gradients uses_saved(const AutogradContext& context, const Tensor& gradient) {
  EXPECT_FALSE(context.saved(2).is_defined());
  EXPECT_TRUE(context.needs_gradient(0));
  return {(gradient * context.saved(1)).mul(context.attribute("weight"))};
}

OPWRIGHT_LIBRARY(node_test, m) {
  for (const char* name :
       {"wrong_sizes", "two_for_one", "asks_too_much", "asks_for_another", "no_formula"}) {
    m.def(std::string(name) + "(Tensor x) -> Tensor");
  }
  m.def("both(Tensor x) -> (Tensor, Tensor)");
  m.def("both_lean(Tensor x) -> (Tensor, Tensor)");
  m.def("sum_all(Tensor[] xs) -> Tensor");
  m.def("scaled(Tensor x, float factor) -> Tensor");
  m.def("saving(Tensor x, float factor) -> Tensor");
  m.def("write_(Tensor(a!) x) -> ()");
  m.register_autograd("wrong_sizes", &wrong_sizes);
  m.register_autograd("two_for_one", &two_for_one);
  m.register_autograd("asks_too_much", &asks_too_much);
  m.register_autograd("asks_for_another", &asks_for_another);
  m.register_autograd("both", &both_backward);
  m.register_autograd("both_lean", &both_lean_save, &both_lean_backward);
  m.register_autograd("sum_all", &sum_all_backward);
  m.register_autograd("scaled", &scaled_backward);
  m.register_autograd("saving", &keeps_root, &uses_saved);
}
OPWRIGHT_LIBRARY_IMPL(node_test, CPU, m) {
  for (const char* name :
       {"wrong_sizes", "two_for_one", "asks_too_much", "asks_for_another", "no_formula"}) {
    m.impl(name, &negate);
  }
  m.impl("both", &both);
  m.impl("both_lean", &both);
  m.impl("sum_all", &sum_all);
  m.impl("scaled", &scaled);
  m.impl("saving", &scaled);
  m.impl("write_", +[](Tensor& x) { x.mul_(2.0); });
}

Tensor call_of(const char* name, const Tensor& x) {
  return OperatorHandle<Tensor(const Tensor&)>(name)(x);
}
std::tuple<Tensor, Tensor> call_of_both(const char* name, const Tensor& x) {
  return OperatorHandle<std::tuple<Tensor, Tensor>(const Tensor&)>(name)(x);
}
Tensor call_with_factor(const char* name, const Tensor& x, double factor) {
  return OperatorHandle<Tensor(const Tensor&, double)>(name)(x, factor);
}

TEST(OperatorNode, AGradientOfWrongSizesIsAnErrorThatNamesTheArgument) {
  EXPECT_ERROR_CONTAINS(run_backward_of(call_of("node_test::wrong_sizes", leaf({1, 2})).sum()),
                        "RuntimeError",
                        "node_test::wrong_sizes: the backward formula returned a gradient of sizes "
                        "[5] for 'x', which has sizes [2]");
}

TEST(OperatorNode, AWrongNumberOfGradientsIsAnError) {
  EXPECT_ERROR_CONTAINS(
      run_backward_of(call_of("node_test::two_for_one", leaf({1}))), "RuntimeError",
      "the backward formula returned 2 gradients, but the operator has 1 tensor arguments");
}

TEST(OperatorNode, TheErrorOfAFormulaNamesTheOperator) {
  EXPECT_ERROR_CONTAINS(run_backward_of(call_of("node_test::two_for_one", leaf({1}))),
                        "RuntimeError", "in the backward of node_test::two_for_one");
}

TEST(OperatorNode, ASavedTensorThatIsNotThereIsAnError) {
  EXPECT_ERROR_CONTAINS(
      run_backward_of(call_of("node_test::asks_too_much", leaf({1}))), "IndexError",
      "node_test::asks_too_much: its formula reads saved tensor 3, but 0 were saved");
}

TEST(OperatorNode, AnAttributeThatIsNotThereIsAnError) {
  EXPECT_ERROR_CONTAINS(
      run_backward_of(call_of("node_test::asks_for_another", leaf({1}))), "AttributeError",
      "node_test::asks_for_another: its formula reads 'weight', which is neither a "
      "non-tensor argument nor set while saving");
}

TEST(OperatorNode, WithoutAFormulaBackwardIsAnErrorAndForwardIsNone) {
  const Tensor y = call_of("node_test::no_formula", leaf({1}));

  EXPECT_ERROR_CONTAINS(run_backward_of(y), "NotImplementedError",
                        "node_test::no_formula has no backward formula, so nothing can be trained "
                        "through it");
}

TEST(OperatorNode, AnOperatorThatWritesAndHasNoFormulaIsRefusedInTraining) {
  Tensor y = leaf({1}).mul(2.0);
  OperatorHandle<void(Tensor&)>("node_test::write_")(y);

  EXPECT_ERROR_CONTAINS(run_backward_of(y), "NotImplementedError",
                        "node_test::write_ has no backward formula");
}

TEST(OperatorNode, AResultWithoutGradientGetsZeros) {
  const Tensor x = leaf({1});

  run_backward_of(std::get<1>(call_of_both("node_test::both", x)));

  EXPECT_EQ(gradient_values(x), Values{3});
}

TEST(OperatorNode, AResultThatIsMarkedHasNoGradient) {
  const Tensor x = leaf({1});
  const auto [first, second] = call_of_both("node_test::both_lean", x);

  EXPECT_FALSE(requires_grad(second));
  run_backward_of(first);
  EXPECT_EQ(gradient_values(x), Values{2});
}

TEST(OperatorNode, AListGetsAListOfGradients) {
  const std::vector<Tensor> xs{leaf({1}), leaf({2}), leaf({3})};

  run_backward_of(OperatorHandle<Tensor(const std::vector<Tensor>&)>("node_test::sum_all")(xs));

  EXPECT_EQ(gradient_values(xs[0]), Values{1});
  EXPECT_FALSE(gradient_of(xs[1]).is_defined());
  EXPECT_EQ(gradient_values(xs[2]), Values{3});
}

TEST(OperatorNode, ArgumentsWithoutTensorsAreKeptByTheirNames) {
  const Tensor x = leaf({1});

  run_backward_of(call_with_factor("node_test::scaled", x, 4.0));

  EXPECT_EQ(gradient_values(x), Values{4});
}

TEST(OperatorNode, KeepsWhatWasSavedAndSet) {
  const LiveCounts before = live_counts();
  {
    const Tensor x = leaf({3});
    run_backward_of(call_with_factor("node_test::saving", x, 2.0));
    EXPECT_EQ(gradient_values(x), Values{18});
    call_with_factor("node_test::saving", x, 2.0);
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(OperatorNode, ASavedResultThatWasWrittenIsNamed) {
  const Tensor x = leaf({1});
  Tensor y = x.exp();
  const Tensor kept = y.view({1});
  y.detach().zero_();

  EXPECT_ERROR_CONTAINS(run_backward_of(kept), "RuntimeError",
                        "aten::exp: its result, saved for its backward, was modified by an "
                        "in-place operation: it is at version 1, expected 0");
}

}  // namespace
}  // namespace opwright
