// Plans under transforms, modes and recording: they call evaluate() at the caller's level.
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/autograd/history.h"
#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/run/plan.h"
#include "opwright/runtime/func.h"
#include "opwright/runtime/make_fx.h"
#include "opwright/runtime/vmap.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/tensor_impl.h"
#include "run/plan_runs.h"
#include "transforms/recorder.h"

namespace opwright {
namespace {

using testing::floats;
using testing::given;
using testing::make_plan;
using testing::run;

constexpr const char* kSquare =
    "graph(%x: float32[3]) -> (%y) {\n"
    "  %square: float32[3] = aten::mul.Tensor(%x, %x)\n"
    "  %y: float32[3] = aten::sin(%square)\n"
    "}\n";

Tensor numbers() { return ones({3}, DType::Float32) * 0.5; }

// The first output as a tensor.
Tensor apply(const Plan& plan, const Tensor& x) {
  return Tensor::borrow(run(plan, given(x))[0].get().as_tensor);
}

TEST(PlanLevels, GiveGradients) {
  const PlanPtr plan = make_plan(kSquare);
  const auto through_plan = [&](const Tensor& x) { return apply(*plan, x).sum(); };
  const auto by_hand = [](const Tensor& x) { return sin(x * x).sum(); };

  EXPECT_EQ(floats(grad(through_plan)(numbers())[0]), floats(grad(by_hand)(numbers())[0]));
}

TEST(PlanLevels, RecordWhereAnInputRequiresGrad) {
  const PlanPtr plan = make_plan(kSquare);
  (void)apply(*plan, numbers());
  const Tensor x = numbers();
  set_requires_grad(x, true);

  EXPECT_TRUE(apply(*plan, x).requires_grad());
  const NoGradScope no_grad;
  EXPECT_FALSE(apply(*plan, x).requires_grad());
}

TEST(PlanLevels, RecordWhereTheBaseOfAViewDoes) {
  const PlanPtr plan = make_plan(kSquare);
  const Tensor base = numbers();
  const Tensor view = base.view(std::vector<SymInt>{3});
  EXPECT_FALSE(apply(*plan, view).requires_grad());

  Tensor written = base;
  const Tensor source = numbers();
  set_requires_grad(source, true);
  written.copy_(source);

  EXPECT_TRUE(apply(*plan, view).requires_grad());
}

TEST(PlanLevels, Vectorise) {
  const PlanPtr plan = make_plan(kSquare);
  const auto through_plan = [&](const Tensor& x) { return apply(*plan, x); };
  const Tensor rows = ones({2, 3}, DType::Float32) * 0.25;

  EXPECT_EQ(floats(vmap(through_plan)(rows)[0]), floats(sin(rows * rows)));
}

TEST(PlanLevels, AreTracedStepByStep) {
  const PlanPtr plan = make_plan(kSquare);

  const TracedGraph graph = make_fx([&](const Tensor& x) { return apply(*plan, x); })(numbers());

  EXPECT_EQ(graph.text(),
            "graph(%x: float32[3]) -> (%sin) {\n"
            "  %mul: float32[3] = aten::mul.Tensor(%x, %x)\n"
            "  %sin: float32[3] = aten::sin(%mul)\n"
            "}\n");
}

TEST(PlanLevels, PassTheirCallsToAnInterpreter) {
  const PlanPtr plan = make_plan(kSquare);
  const auto recorder = IntrusivePtr<testing::Recorder>::take(new testing::Recorder(nullptr));
  const InterpreterScope scope(recorder.get());

  (void)apply(*plan, numbers());

  EXPECT_NE(recorder->text().find("aten::mul.Tensor\naten::sin\n"), std::string::npos);
}

TEST(PlanLevels, GiveFakesForFakes) {
  const PlanPtr plan = make_plan(kSquare);
  const std::vector<int64_t> sizes{3};

  EXPECT_TRUE(apply(*plan, make_fake(sizes, DType::Float32, kCpu)).is_fake());
}

TEST(PlanLevels, GiveInferenceTensorsInInferenceMode) {
  const PlanPtr plan = make_plan(kSquare);
  const Tensor outside = apply(*plan, numbers());
  const InferenceScope inference;
  const Tensor inside = apply(*plan, numbers());

  EXPECT_EQ(outside.get()->flags & kOpwFlagInference, 0);
  EXPECT_NE(inside.get()->flags & kOpwFlagInference, 0);
  EXPECT_EQ(floats(inside), floats(outside));
}

TEST(PlanLevels, RefuseToWriteInferenceTensorsOutside) {
  const PlanPtr plan = make_plan(
      "graph(%x: float32[3]) -> (%y) {\n"
      "  %y: float32[3] = aten::relu_(%x)\n"
      "}\n");
  Tensor x;
  {
    const InferenceScope inference;
    x = numbers();
    (void)apply(*plan, x);
  }

  EXPECT_ERROR_CONTAINS(apply(*plan, x), "RuntimeError", "inference");
}

TEST(PlanLevels, KnowTheBasesOfViewsThatTheyReturn) {
  const PlanPtr plan = make_plan(
      "graph(%x: float32[4]) -> (%b) {\n"
      "  %a: float32[2, 2] = aten::view(%x, [2, 2])\n"
      "  %b: float32[2, 2] = aten::t(%a)\n"
      "}\n");
  const Tensor x = ones({4}, DType::Float32);

  const Tensor view = apply(*plan, x);

  ASSERT_NE(find_view(view), nullptr);
  EXPECT_EQ(find_history(view.get())->root.get(), x.get());
  EXPECT_EQ(steps_to(find_history(view.get())->view).size(), 2);
}

TEST(PlanLevels, WriteReadOnlyInputsAsLittleAsEvaluateDoes) {
  const PlanPtr plan = make_plan(
      "graph(%x: float32[4], %y: float32[4]) -> (%b) {\n"
      "  %a: float32[4] = aten::neg(%x)\n"
      "  %b: float32[4] = aten::copy_(%y, %a)  # model.py:2\n"
      "}\n");
  const Tensor y = ones({4}, DType::Float32);
  impl(y).flags |= kOpwFlagReadOnly;
  const auto inputs = given(ones({4}, DType::Float32), y);

  const auto wanted =
      testing::error_of([&] { (void)evaluate(plan->graph(), testing::lent(inputs)); });

  ASSERT_TRUE(wanted.has_value());
  EXPECT_ERROR(run(*plan, inputs), wanted->kind(), wanted->message());
}

}  // namespace
}  // namespace opwright
