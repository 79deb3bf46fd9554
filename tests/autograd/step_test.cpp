// The autograd step: which calls are recorded, and what a recorded call leaves.
#include "opwright/autograd/step.h"

#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "base/expect_error.h"
#include "opwright/library.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

using testing::floats;
using testing::gradient_values;
using testing::leaf;
using testing::NoGrad;
using testing::range;
using testing::run_backward_of;
using testing::Values;

// x becomes x * y.
void times(Tensor& x, const Tensor& y) { x.mul_(y); }
void times_save(AutogradContext& context, const Tensor& old_x, const Tensor& y) {
  context.save({old_x, y});
}
Gradients times_backward(const AutogradContext& context, const Tensor& gradient) {
  return {gradient * context.saved(1), gradient * context.saved(0)};
}
Gradients failing_backward(const AutogradContext& /*context*/, const Tensor& gradient) {
  return {gradient};
}
void failing_save(AutogradContext& /*context*/, const Tensor& /*x*/, const Tensor& /*result*/) {
  throw_error("ValueError", "cannot save");
}
Tensor same(const Tensor& x) { return x; }

OPWRIGHT_LIBRARY(step_test, m) {
  m.def("times_(Tensor(a!) x, Tensor y) -> ()");
  m.def("failing(Tensor x) -> Tensor");
  m.def("same(Tensor x) -> Tensor");
  m.register_autograd("times_", &times_save, &times_backward);
  m.keep_old("times_", {0});
  m.register_autograd("failing", &failing_save, &failing_backward);
  m.register_autograd("same", &failing_backward);
}
OPWRIGHT_LIBRARY_IMPL(step_test, CPU, m) {
  m.impl("times_", &times);
  m.impl("failing", +[](const Tensor& x) { return x.neg(); });
  m.impl("same", &same);
}

TEST(Step, AFormulaThatKeepsOldValuesGetsThem) {
  const Tensor x = leaf({2});
  const Tensor y = leaf({3});
  Tensor z = x.mul(1.0);

  OperatorHandle<void(Tensor&, const Tensor&)>("step_test::times_")(z, y);
  run_backward_of(z);

  EXPECT_EQ(gradient_values(x), Values{3});
  EXPECT_EQ(gradient_values(y), Values{2});
}

TEST(Step, AWriteToAViewByACustomOperatorReachesTheRoot) {
  const Tensor x = leaf({2, 5});
  const Tensor y = leaf({3});
  const Tensor z = x.mul(1.0);
  Tensor view = z.slice(0, 1);

  OperatorHandle<void(Tensor&, const Tensor&)>("step_test::times_")(view, y);
  run_backward_of(z.sum());

  EXPECT_EQ(gradient_values(x), (Values{1, 3}));
  EXPECT_EQ(gradient_values(y), Values{5});
}

TEST(Step, WhatSavingThrowsReachesTheCaller) {
  const LiveCounts before = live_counts();
  {
    const Tensor x = leaf({2});
    EXPECT_ERROR_CONTAINS(OperatorHandle<Tensor(const Tensor&)>("step_test::failing")(x),
                          "ValueError", "cannot save");
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(Step, AKernelMayGiveItsArgument) {
  const Tensor x = leaf({2});
  const Tensor y = x.mul(3.0);

  run_backward_of(OperatorHandle<Tensor(const Tensor&)>("step_test::same")(y));

  EXPECT_EQ(gradient_values(x), Values{3});
}

TEST(Step, ARefusedWriteChangesNothing) {
  Tensor x = leaf({2});
  const uint64_t version = version_of(x);

  EXPECT_ERROR_CONTAINS(x.add_(range({1})), "RuntimeError", "is a leaf that requires grad");

  EXPECT_EQ(version_of(x), version);
  EXPECT_TRUE(is_leaf(x));
}

TEST(Step, SavedValuesOfReadArgumentsHaveTheirVersionFromBeforeTheCall) {
  const Tensor x = leaf({2});
  const Tensor factor = leaf({3});
  Tensor y = factor.mul(1.0);
  Tensor z = x.mul(1.0);
  z.mul_(y);
  y.add_(1.0);

  EXPECT_ERROR_CONTAINS(run_backward_of(z), "RuntimeError",
                        "aten::mul_.Tensor: 'other', saved for its backward, was modified by an "
                        "in-place operation: it is at version 1, expected 0");
}

TEST(Step, OnlyWhatNeededGradientsTakeIsSaved) {
  const Tensor x = leaf({2});
  Tensor factor = range({1}).add(3.0);
  Tensor y = x.mul(1.0);
  const Tensor z = y * factor;
  y.add_(1.0);

  run_backward_of(z);

  EXPECT_EQ(gradient_values(x), Values{3});
}

}  // namespace
}  // namespace opwright
