// Covers: src/run/*.
#include "opwright/run/plan.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ir/graph_operators.h"
#include "opwright/base/thread_state.h"
#include "opwright/base/user_line.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/tensor/random_state.h"
#include "opwright/tensor/tensor_impl.h"
#include "run/plan_runs.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::given;
using testing::make_plan;
using testing::matrix;
using testing::run;
using testing::ScopedOperator;
using testing::tensor;
using testing::values_of;

class RunPlan : public ::testing::Test {
 protected:
  testing::GraphOperators operators_;
};

// Records the names of the steps.
class NameWatch final : public StepWatch {
 public:
  void finish_step(const Node& node, int64_t began, int64_t ended) override {
    names.push_back(node.values()[0].name());
    is_in_order &= began <= ended;
  }
  std::vector<std::string> names;
  bool is_in_order = true;
};

constexpr const char* kChain =
    "graph(%x: float32[2], %y: float32[2]) -> (%b, [%a, %x], None, 7) {\n"
    "  %a: float32[2] = test::add(%x, %y, alpha=2.0)\n"
    "  %b: float32[2] = test::negative(%a)\n"
    "}\n";

TEST_F(RunPlan, RunsTheStepsInOrderAgainAndAgain) {
  const PlanPtr plan = make_plan(kChain);

  for (float first : {1.0F, 5.0F, 9.0F}) {
    const auto outputs = run(*plan, given(tensor({first, 2}), tensor({10, 20})));

    ASSERT_EQ(outputs.size(), 4);
    EXPECT_EQ(values_of(outputs[0]), (std::vector<float>{-first - 20, -42}));
    EXPECT_EQ(outputs[1].tag(), kOpwTensorList);
    EXPECT_TRUE(outputs[2].is_none());
    EXPECT_EQ(outputs[3].get().as_int, 7);
  }
}

TEST_F(RunPlan, TellsAWatchEveryStep) {
  const PlanPtr plan = make_plan(kChain);
  NameWatch watch;

  (void)run(*plan, given(tensor({1, 2}), tensor({10, 20})), &watch);

  EXPECT_EQ(watch.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(watch.is_in_order);
}

TEST_F(RunPlan, WritesResultsIntoValuesOfTheCaller) {
  const PlanPtr plan = make_plan(kChain);
  const auto inputs = given(tensor({1, 2}), tensor({10, 20}));
  std::vector<OpwValue> results(plan->num_outputs());

  plan->run(testing::lent(inputs), results);

  EXPECT_EQ(values_of(Value::take(results[0])), (std::vector<float>{-21, -42}));
  EXPECT_EQ(Value::take(results[1]).get().length, 2);
  std::vector<OpwValue> none;
  EXPECT_ERROR(plan->run(testing::lent(inputs), none), "ValueError",
               "plan: it returns 4 results, there is room for 0");
}

TEST_F(RunPlan, GivesTheElementsOfListResults) {
  const PlanPtr plan = make_plan(
      "graph(%x: float32[4]) -> (%high) {\n"
      "  [%low: float32[2], %high: float32[2]] = test::halves(%x)\n"
      "}\n");

  EXPECT_EQ(values_of(run(*plan, given(tensor({1, 2, 3, 4})))[0]), (std::vector<float>{3, 4}));
}

TEST_F(RunPlan, NamesAListOfAnotherLengthAsEvaluateDoes) {
  const std::string text =
      "graph(%x: float32[4]) -> (%high) {\n"
      "  [%low: float32[2], %high: float32[2], %third: float32[2]] = test::halves(%x)\n"
      "}\n";

  EXPECT_ERROR_CONTAINS(run(*make_plan(text), given(tensor({1, 2, 3, 4}))), "ValueError",
                        "returned a list of 2 where the graph was traced with 3");
}

TEST_F(RunPlan, PassesListsOfTensorsAndOfOptionalOnes) {
  const ScopedOperator sum(
      "test::sum_all(Tensor[] many, Tensor?[] some, int[] numbers) -> Tensor",
      +[](std::span<const Tensor> many, const std::vector<std::optional<Tensor>>& some,
          std::span<const int64_t> numbers) {
        float total = 0;
        for (const Tensor& one : many) total += one.data<float>()[0];
        for (const auto& one : some) total += one ? 100 * one->data<float>()[0] : 1000;
        return tensor({total, static_cast<float>(numbers[1])});
      });
  const PlanPtr plan = make_plan(
      "graph(%x: float32[1], %y: float32[1]) -> (%z) {\n"
      "  %a: float32[1] = test::negative(%x)\n"
      "  %z: float32[2] = test::sum_all([%x, %a, %y], [None, %y], [3, 4])\n"
      "}\n");

  EXPECT_EQ(values_of(run(*plan, given(tensor({1}), tensor({7})))[0]),
            (std::vector<float>{1707, 4}));
}

TEST_F(RunPlan, DropsResultsThatNothingUses) {
  const ScopedOperator split(
      "test::parts(Tensor x) -> (Tensor low, Tensor? high, int count)", +[](const Tensor& x) {
        return std::tuple(testing::copy(x), std::optional<Tensor>(), int64_t{5});
      });
  const PlanPtr plan = make_plan(
      "graph(%x: float32[1]) -> (%low) {\n"
      "  %low: float32[1], _, _ = test::parts(%x)\n"
      "  %unused: float32[1] = test::negative(%x)\n"
      "}\n");

  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(values_of(run(*plan, given(tensor({4})))[0]), (std::vector<float>{4}));
  }
}

TEST_F(RunPlan, GivesAnInputBackAndTheSameValueTwice) {
  const PlanPtr plan = make_plan(
      "graph(%x: float32[1]) -> (%a, %x, %a) {\n"
      "  %a: float32[1] = test::negative(%x)\n"
      "}\n");
  const auto inputs = given(tensor({4}));

  const auto outputs = run(*plan, inputs);

  EXPECT_EQ(outputs[0].get().as_tensor, outputs[2].get().as_tensor);
  EXPECT_EQ(outputs[1].get().as_tensor, inputs[0].get().as_tensor);
  EXPECT_EQ(outputs[1].get().as_tensor->count, 2);
}

TEST_F(RunPlan, WritesItsInputsAndRaisesTheirVersions) {
  const PlanPtr plan = make_plan(
      "graph(%x: float32[2]) -> (%y) {\n"
      "  %y: float32[2] = test::increment_(%x)\n"
      "}\n");
  const Tensor x = tensor({1, 2});
  const uint64_t before = impl(x).storage->current_version();

  for (int i = 0; i < 2; ++i) {
    const auto outputs = run(*plan, given(x));
    EXPECT_EQ(outputs[0].get().as_tensor, x.get());
  }

  EXPECT_EQ(values_of(x), (std::vector<float>{3, 4}));
  EXPECT_EQ(impl(x).storage->current_version(), before + 2);
}

TEST_F(RunPlan, TakesCapturedTensorsAsTheyAreNow) {
  const GraphPtr graph = parse_graph(
      "graph(%x: float32[2], captured %w: float32[2]) -> (%b) {\n"
      "  %b: float32[2] = test::add(%x, %w)\n"
      "}\n");
  const Plan plan(graph);
  EXPECT_ERROR(run(plan, given(tensor({1, 2}))), "ValueError",
               "graph: the captured input 'w' has no tensor, since the graph was read from text; "
               "give it one with bind_input");
  const Tensor weight = tensor({10, 20});
  graph->bind_input(*graph->find("w"), weight);
  EXPECT_EQ(values_of(run(plan, given(tensor({1, 2})))[0]), (std::vector<float>{11, 22}));

  weight.mutable_data<float>()[0] = 50;

  EXPECT_EQ(values_of(run(plan, given(tensor({1, 2})))[0]), (std::vector<float>{51, 22}));
}

TEST_F(RunPlan, ReadsTheRandomStateFirstAndSetsItLast) {
  RandomState& generator = default_generator(kCpu);
  generator.set_seed(11);
  const Tensor after = generator.state();
  generator.set_seed(7);
  const PlanPtr plan =
      make_plan("graph(random_state %state: uint8[16], %after: uint8[16]) -> (%state, %after) {}");
  ASSERT_EQ(plan->num_outputs(), 1);

  const auto outputs = run(*plan, given(after));

  ASSERT_EQ(outputs.size(), 1);
  RandomState read(kCpu);
  read.set_state(Tensor::borrow(outputs[0].get().as_tensor));
  EXPECT_EQ(read.seed(), 7);
  EXPECT_EQ(generator.seed(), 11);
}

TEST_F(RunPlan, NamesAStateThatIsNotGivenBackAsEvaluateDoes) {
  const PlanPtr plan = make_plan("graph(random_state %state: uint8[16]) -> () {}");

  EXPECT_ERROR(run(*plan, given()), "ValueError",
               "graph: it takes 1 states of random numbers and returns 0 values; the last outputs "
               "must be the new states");
}

TEST_F(RunPlan, RunsStepsUnderTheirGradModeAndLine) {
  const ScopedOperator look(
      "test::look(Tensor x) -> Tensor", +[](const Tensor& /*x*/) {
        return tensor({thread_state().grad_is_enabled() ? 1.0F : 0.0F,
                       static_cast<float>(current_user_line().line)});
      });
  const PlanPtr plan = make_plan(
      "graph(%x: float32[2]) -> (%a, %b) {\n"
      "  %a: float32[2] = test::look(%x), no_grad  # model.py:3\n"
      "  %b: float32[2] = test::look(%x)  # model.py:4\n"
      "}\n");

  const auto outputs = run(*plan, given(tensor({1, 2})));

  EXPECT_EQ(values_of(outputs[0]), (std::vector<float>{0, 3}));
  EXPECT_EQ(values_of(outputs[1]), (std::vector<float>{1, 4}));
  EXPECT_TRUE(thread_state().grad_is_enabled());
  EXPECT_FALSE(current_user_line().is_known());
}

TEST_F(RunPlan, FreesAValueAfterItsLastUse) {
  static uint32_t handles = 0;
  const ScopedOperator count(
      "test::count(Tensor x) -> Tensor", +[](const Tensor& x) {
        handles = impl(x).storage->count;
        return make_empty(x.sizes(), DType::Float32);
      });
  const PlanPtr plan = make_plan(
      "graph(%x: float32[2]) -> (%c) {\n"
      "  %a: float32[2] = test::negative(%x)\n"
      "  %b: float32[2] = test::alias(%a)\n"
      "  %c: float32[2] = test::count(%b)\n"
      "}\n");
  const auto inputs = given(tensor({1, 2}));

  (void)run(*plan, inputs);

  EXPECT_EQ(handles, 1);
  EXPECT_EQ(inputs[0].get().as_tensor->count, 1);
}

TEST_F(RunPlan, SeesAKernelThatWasReplacedAndOneThatWasRemoved) {
  const PlanPtr plan = make_plan(
      "graph(%x: float32[1]) -> (%y) {\n"
      "  %y: float32[1] = test::negative(%x)\n"
      "}\n");
  EXPECT_EQ(values_of(run(*plan, given(tensor({1})))[0]), (std::vector<float>{-1}));
  {
    const Registration replaced = Registry::get().implement(
        "test::negative", Slot::Cpu, +[](const Tensor& /*x*/) { return tensor({42}); });
    EXPECT_EQ(values_of(run(*plan, given(tensor({1})))[0]), (std::vector<float>{42}));
  }

  EXPECT_EQ(values_of(run(*plan, given(tensor({1})))[0]), (std::vector<float>{-1}));
}

TEST_F(RunPlan, SeesAKernelThatAnEarlierStepReplaced) {
  static Registration replaced;
  const ScopedOperator replace(
      "test::replace(Tensor x) -> Tensor", +[](const Tensor& x) {
        replaced = Registry::get().implement(
            "test::negative", Slot::Cpu, +[](const Tensor& /*x*/) { return tensor({42}); });
        return testing::copy(x);
      });
  const PlanPtr plan = make_plan(
      "graph(%x: float32[1]) -> (%z) {\n"
      "  %w: float32[1] = test::negative(%x)\n"
      "  %y: float32[1] = test::replace(%w)\n"
      "  %z: float32[1] = test::negative(%y)\n"
      "}\n");

  const auto outputs = run(*plan, given(tensor({1})));
  replaced.remove();

  EXPECT_EQ(values_of(outputs[0]), (std::vector<float>{42}));
}

TEST_F(RunPlan, NamesAKernelThatWasRemovedAsEvaluateDoes) {
  PlanPtr plan;
  const auto inputs = given(tensor({1}));
  {
    const ScopedOperator passing("test::passing(Tensor x) -> Tensor", &testing::copy);
    plan = make_plan(
        "graph(%x: float32[1]) -> (%y) {\n"
        "  %y: float32[1] = test::passing(%x)  # model.py:2\n"
        "}\n");
    (void)run(*plan, inputs);
  }
  const auto wanted =
      testing::error_of([&] { (void)evaluate(plan->graph(), testing::lent(inputs)); });

  ASSERT_TRUE(wanted.has_value());
  EXPECT_ERROR(run(*plan, inputs), wanted->kind(), wanted->message());
}

TEST_F(RunPlan, TellsTheNodeAndTheLineOfAnErrorAsEvaluateDoes) {
  const ScopedOperator fail(
      "test::fail(Tensor x) -> Tensor",
      +[](const Tensor& /*x*/) -> Tensor { throw Error("ValueError", "it failed"); });
  const PlanPtr plan = make_plan(
      "graph(%x: float32[2]) -> (%y) {\n"
      "  %a: float32[2] = test::negative(%x)\n"
      "  %y: float32[2] = test::fail(%a)  # model.py:8\n"
      "}\n");
  const auto inputs = given(tensor({1, 2}));
  const auto wanted =
      testing::error_of([&] { (void)evaluate(plan->graph(), testing::lent(inputs)); });

  ASSERT_TRUE(wanted.has_value());
  EXPECT_ERROR(run(*plan, inputs), "ValueError", wanted->message());
  EXPECT_ERROR_CONTAINS(run(*plan, inputs), "ValueError",
                        "in the graph's '%y = test::fail(%a)' from model.py:8");
}

TEST_F(RunPlan, RunsTheKernelsOfAnotherDevice) {
  const Device device = testing::TestDevice::device();
  const Registration kernel = Registry::get().implement(
      "test::negative", device_slot(device.type), +[](const Tensor& x) {
        Tensor made = make_empty(x.sizes(), DType::Float32, x.device());
        static_cast<float*>(made.mutable_data())[0] = 42;
        return made;
      });
  const PlanPtr plan = make_plan(
      "graph(%x: float32[1] on test:0) -> (%z) {\n"
      "  %y: float32[1] on test:0 = test::negative(%x)\n"
      "  %z: float32[1] on test:0 = test::negative(%y)\n"
      "}\n");

  for (int i = 0; i < 3; ++i) {
    const std::vector<int64_t> size{1};
    const auto outputs = run(*plan, given(make_empty(size, DType::Float32, device)));
    const Tensor made = Tensor::borrow(outputs[0].get().as_tensor);
    EXPECT_EQ(made.device(), device);
    EXPECT_EQ(static_cast<const float*>(impl(made).storage->data)[0], 42);
  }
  EXPECT_ERROR_CONTAINS(run(*plan, given(tensor({1}))), "TypeError", "another device");
}

TEST_F(RunPlan, RunsItselfFromWithinAKernel) {
  static const Plan* inner = nullptr;
  const ScopedOperator nest(
      "test::nest(Tensor x) -> Tensor", +[](const Tensor& x) {
        const float depth = x.data<float>()[0];
        if (depth == 0) return testing::copy(x);
        const Value less(tensor({depth - 1}));
        Tensor deepest = Tensor::borrow(inner->run(std::span(&less.get(), 1))[0].get().as_tensor);
        return tensor({deepest.data<float>()[0] + 10});
      });
  const PlanPtr plan = make_plan(
      "graph(%x: float32[1]) -> (%z) {\n"
      "  %y: float32[1] = test::nest(%x)\n"
      "  %z: float32[1] = test::negative(%y)\n"
      "}\n");
  inner = plan.get();

  EXPECT_EQ(values_of(run(*plan, given(tensor({3})))[0]), (std::vector<float>{-10}));
}

}  // namespace
}  // namespace opwright
