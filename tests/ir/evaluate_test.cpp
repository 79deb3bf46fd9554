#include "opwright/ir/graph/evaluate.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ir/graph_operators.h"
#include "opwright/base/thread_state.h"
#include "opwright/base/user_line.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/tensor/random_state.h"

namespace opwright {
namespace {

using testing::fake;
using testing::matrix;
using testing::tensor;
using testing::values_of;

class EvaluateGraph : public ::testing::Test {
 protected:
  // Parses and runs a graph.
  std::vector<Value> run(const std::string& text, std::vector<Value> inputs) {
    return run(*parse_graph(text), std::move(inputs));
  }
  std::vector<Value> run(const Graph& graph, std::vector<Value> inputs) {
    std::vector<OpwValue> borrowed;
    for (const Value& input : inputs) borrowed.push_back(input.get());
    return evaluate(graph, borrowed);
  }
  template <class... Inputs>
  static std::vector<Value> given(const Inputs&... inputs) {
    std::vector<Value> values;
    (values.emplace_back(inputs), ...);
    return values;
  }
  testing::GraphOperators operators_;
};

constexpr const char* kDynamic =
    "graph(%x: float32[s0, 3], %y: float32[2*s0]) -> (%full, s0) {\n"
    "  symbol s0 in [2, 8], hint 5, from x.size(0)\n"
    "  guard s0 <= 8  # model.py:12\n"
    "  guard s0 % 2 == 1  # model.py:13\n"
    "  %full: float32[s0 + 1] = test::full([s0 + 1], 1.0)\n"
    "}\n";

TEST_F(EvaluateGraph, RunsTheNodesInOrder) {
  const auto outputs =
      run("graph(%x: float32[2], %y: float32[2]) -> (%b, [%a, %x], None, 7) {\n"
          "  %a: float32[2] = test::add(%x, %y, alpha=2.0)\n"
          "  %b: float32[2] = test::negative(%a)\n"
          "}\n",
          given(tensor({1, 2}), tensor({10, 20})));

  ASSERT_EQ(outputs.size(), 4);
  EXPECT_EQ(values_of(outputs[0]), (std::vector<float>{-21, -42}));
  EXPECT_EQ(outputs[1].tag(), kOpwTensorList);
  EXPECT_TRUE(outputs[2].is_none());
  EXPECT_EQ(outputs[3].get().as_int, 7);
}

TEST_F(EvaluateGraph, GivesTheElementsOfListResults) {
  const auto outputs =
      run("graph(%x: float32[4]) -> (%low, %high) {\n"
          "  [%low: float32[2], %high: float32[2]] = test::halves(%x)\n"
          "}\n",
          given(tensor({1, 2, 3, 4})));

  EXPECT_EQ(values_of(outputs[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(values_of(outputs[1]), (std::vector<float>{3, 4}));
}

TEST_F(EvaluateGraph, BindsSymbolsToTheSizesOfItsInputs) {
  const auto outputs =
      run(kDynamic, given(matrix(7, 3), tensor({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})));

  EXPECT_EQ(values_of(outputs[0]).size(), 8);
  EXPECT_EQ(outputs[1].get().as_int, 7);
}

TEST_F(EvaluateGraph, SolvesADerivedSizeForItsSymbol) {
  const std::string text =
      "graph(%x: float32[3*s0 + 1]) -> (s0) {\n"
      "  symbol s0 in [2, inf], hint 5\n"
      "}\n";

  EXPECT_EQ(run(text, given(tensor({1, 1, 1, 1, 1, 1, 1})))[0].get().as_int, 2);
  EXPECT_ERROR(run(text, given(tensor({1, 1, 1, 1, 1, 1}))), "ValueError",
               "graph: dimension 0 of input 'x' must be 3*s0 + 1 for an integer s0, got 6");
}

TEST_F(EvaluateGraph, BindsIntsStridesAndOffsets) {
  const std::string text =
      "graph(%n: int(s0), %x: float32[4] strides [s1] offset(s2)) -> (s0, s1, s2) {\n"
      "  symbol s0 in [-inf, inf], hint 5\n"
      "  symbol s1 in [1, inf], hint 1\n"
      "  symbol s2 in [0, inf], hint 0\n"
      "}\n";
  const Tensor base = matrix(4, 3);
  const int64_t size = 4;
  const int64_t stride = 3;

  const auto outputs =
      run(text, given(int64_t{-6}, make_view(base, std::span(&size, 1), std::span(&stride, 1), 2)));

  EXPECT_EQ(outputs[0].get().as_int, -6);
  EXPECT_EQ(outputs[1].get().as_int, 3);
  EXPECT_EQ(outputs[2].get().as_int, 2);
}

TEST_F(EvaluateGraph, NamesTheInputAndTheDimensionThatDiffer) {
  EXPECT_ERROR(run(kDynamic, given(matrix(5, 4), tensor({1, 1}))), "ValueError",
               "graph: dimension 1 of input 'x' must be 3, got 4");
  EXPECT_ERROR(run(kDynamic, given(matrix(5, 3), tensor({1, 1}))), "ValueError",
               "graph: dimension 0 of input 'y' must be 10 (2*s0 with s0 = 5 (dimension 0 of input "
               "'x')), got 2");
}

TEST_F(EvaluateGraph, NamesTheLineThatAskedForAGuard) {
  const std::string text =
      "graph(%x: float32[s0]) -> () {\n"
      "  symbol s0 in [2, 8], hint 5, from x.size(0)\n"
      "  guard s0 <= 8  # model.py:12\n"
      "}\n";
  EXPECT_ERROR(
      run(text, given(tensor({1, 1, 1, 1, 1, 1, 1, 1, 1}))), "ValueError",
      "graph: it was traced under s0 <= 8, required at model.py:12, but is run with s0 = 9 "
      "(dimension 0 of input 'x')");
}

TEST_F(EvaluateGraph, NamesTheRangeThatASizeIsOutsideOf) {
  const std::string text =
      "graph(%x: float32[s0]) -> () {\n"
      "  symbol s0 in [2, inf], hint 5, from x.size(0)\n"
      "}\n";
  EXPECT_ERROR(run(text, given(tensor({1}))), "ValueError",
               "graph: it was traced for s0 >= 2, but is run with s0 = 1 (dimension 0 of input "
               "'x'); sizes outside of that range need a graph of their own");
}

TEST_F(EvaluateGraph, NamesInputsOfAnotherKind) {
  const std::string text = "graph(%x: float32[2, 3], %n: int(4)) -> () {}";

  EXPECT_ERROR(run(text, given(matrix(2, 3))), "TypeError",
               "graph: it takes 2 inputs (x, n), got 1");
  EXPECT_ERROR(run(text, given(1.0, int64_t{4})), "TypeError",
               "graph: input 'x' must be a tensor, got float");
  EXPECT_ERROR(run(text, given(matrix(2, 3), tensor({1}))), "TypeError",
               "graph: input 'n' must be an int, got Tensor");
  EXPECT_ERROR(run(text, given(tensor({1, 2}), int64_t{4})), "TypeError",
               "graph: input 'x' was traced as float32[2, 3], got float32[2]: another number of "
               "dimensions");
  EXPECT_ERROR(run(text, given(make_empty(std::vector<int64_t>{2, 3}, DType::Int64), int64_t{4})),
               "TypeError",
               "graph: input 'x' was traced as float32[2, 3], got int64[2, 3]: another dtype");
  EXPECT_ERROR(run(text, given(make_fake(std::vector<int64_t>{2, 3}, DType::Float32,
                                         Device(kOpwDeviceCuda, 0)),
                               int64_t{4})),
               "TypeError",
               "graph: input 'x' was traced as float32[2, 3], got float32[2, 3] on cuda:0: another "
               "device");
  EXPECT_ERROR(run(text, given(matrix(2, 3), int64_t{5})), "ValueError",
               "graph: input 'n' must be 4, got 5");
}

TEST_F(EvaluateGraph, BindsUnbackedSymbolsToTheSizesOfResults) {
  const std::string text =
      "graph(%x: float32[3]) -> (%positive, u0) {\n"
      "  symbol u0 in [0, 2]\n"
      "  assert u0 <= 2, \"at most two may be positive\"  # model.py:4\n"
      "  %positive: float32[u0] = test::positive(%x)\n"
      "  %full: float32[u0] = test::full([u0], 1.0)\n"
      "}\n";

  const auto outputs = run(text, given(tensor({1, -1, 3})));

  EXPECT_EQ(values_of(outputs[0]), (std::vector<float>{1, 3}));
  EXPECT_EQ(outputs[1].get().as_int, 2);
  EXPECT_ERROR(run(text, given(tensor({1, 2, 3}))), "ValueError",
               "at most two may be positive (u0 <= 2, required at model.py:4, but the graph is run "
               "with u0 = 3 (dimension 0 of %positive))");
}

TEST_F(EvaluateGraph, TakesCapturedTensorsFromTheGraph) {
  const GraphPtr graph = parse_graph(
      "graph(%x: float32[2], captured %w: float32[2], constant %c: float32[2]) -> (%b) {\n"
      "  %a: float32[2] = test::add(%x, %w)\n"
      "  %b: float32[2] = test::add(%a, %c)\n"
      "}\n");
  EXPECT_ERROR(run(*graph, given(tensor({1, 2}))), "ValueError",
               "graph: the captured input 'w' has no tensor, since the graph was read from text; "
               "give it one with bind_input");
  graph->bind_input(*graph->find("w"), tensor({10, 20}));
  EXPECT_ERROR_CONTAINS(run(*graph, given(tensor({1, 2}))), "ValueError", "the constant input 'c'");
  graph->bind_input(*graph->find("c"), tensor({100, 200}));

  EXPECT_EQ(values_of(run(*graph, given(tensor({1, 2})))[0]), (std::vector<float>{111, 222}));
}

TEST_F(EvaluateGraph, ReadsTheRandomStateFirstAndSetsItLast) {
  RandomState& generator = default_generator(kCpu);
  generator.set_seed(11);
  const Tensor after = generator.state();
  generator.set_seed(7);
  const GraphPtr graph = parse_graph(
      "graph(random_state %state: uint8[16], %after: uint8[16]) -> (%state, %after) {}");

  const auto outputs = run(*graph, given(after));

  ASSERT_EQ(outputs.size(), 1);
  RandomState read(kCpu);
  read.set_state(Tensor::borrow(outputs[0].get().as_tensor));
  EXPECT_EQ(read.seed(), 7);
  EXPECT_EQ(generator.seed(), 11);
}

// Writes the thread state that it sees into its result.
Tensor look_kernel(const Tensor& x) {
  Tensor result = tensor({thread_state().grad_is_enabled() ? 1.0F : 0.0F,
                          static_cast<float>(current_user_line().line)});
  (void)x;
  return result;
}

TEST_F(EvaluateGraph, RunsNodesUnderTheirGradModeAndLine) {
  const Registration defined = Registry::get().define("test::look(Tensor x) -> Tensor");
  const Registration kernel = Registry::get().implement("test::look", Slot::Cpu, &look_kernel);

  const auto outputs =
      run("graph(%x: float32[2]) -> (%a, %b) {\n"
          "  %a: float32[2] = test::look(%x), no_grad  # model.py:3\n"
          "  %b: float32[2] = test::look(%x)  # model.py:4\n"
          "}\n",
          given(tensor({1, 2})));

  EXPECT_EQ(values_of(outputs[0]), (std::vector<float>{0, 3}));
  EXPECT_EQ(values_of(outputs[1]), (std::vector<float>{1, 4}));
  EXPECT_TRUE(thread_state().grad_is_enabled());
}

TEST_F(EvaluateGraph, FreesAValueAfterItsLastUse) {
  static uint32_t handles = 0;
  const Registration defined = Registry::get().define("test::count(Tensor x) -> Tensor");
  const Registration kernel = Registry::get().implement(
      "test::count", Slot::Cpu, +[](const Tensor& x) {
        handles = x.get()->count;
        return make_empty(x.sizes(), DType::Float32);
      });
  const GraphPtr graph = parse_graph(
      "graph(%x: float32[2]) -> (%c) {\n"
      "  %a: float32[2] = test::negative(%x)\n"
      "  %b: float32[2] = test::alias(%a)\n"
      "  %c: float32[2] = test::count(%b)\n"
      "}\n");

  const Value x(tensor({1, 2}));
  const uint32_t before = x.get().as_tensor->count;
  const auto outputs = evaluate(*graph, std::span(&x.get(), 1));

  EXPECT_EQ(handles, 1);
  EXPECT_EQ(x.get().as_tensor->count, before);
}

TEST_F(EvaluateGraph, TellsTheNodeOfAnError) {
  const Registration defined = Registry::get().define("test::fail(Tensor x) -> Tensor");
  const Registration kernel = Registry::get().implement(
      "test::fail", Slot::Cpu,
      +[](const Tensor& /*x*/) -> Tensor { throw Error("ValueError", "it failed"); });

  EXPECT_ERROR_CONTAINS(run("graph(%x: float32[2]) -> (%y) {\n"
                            "  %y: float32[2] = test::fail(%x)  # model.py:8\n"
                            "}\n",
                            given(tensor({1, 2}))),
                        "ValueError", "in the graph's '%y = test::fail(%x)' from model.py:8");
}

TEST_F(EvaluateGraph, RunsOnSeveralThreadsAtATime) {
  const GraphPtr graph = parse_graph(kDynamic);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const Value x(matrix(3, 3));
      const Value y(tensor({1, 1, 1, 1, 1, 1}));
      const OpwValue inputs[] = {x.get(), y.get()};
      for (int j = 0; j < 100; ++j) right += evaluate(*graph, inputs)[1].get().as_int == 3 ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(right, 400);
}

TEST_F(EvaluateGraph, SeesInputsThatChangedSinceTheLastRun) {
  const GraphPtr graph = parse_graph("graph(%x: float32[2]) -> (%x) {}");
  EXPECT_NO_THROW(run(*graph, given(tensor({1, 2}))));

  graph->set_meta(*graph->find("x"), Value(fake({3})));

  EXPECT_ERROR(run(*graph, given(tensor({1, 2}))), "ValueError",
               "graph: dimension 0 of input 'x' must be 3, got 2");
}

TEST_F(EvaluateGraph, TakesInputsWithSymbolsOfAnotherTrace) {
  const auto env = make_intrusive<ShapeEnv>();
  const SymInt rows = env->make_size(7, "a.size(0)");
  const std::string text =
      "graph(%x: float32[s0]) -> (s0, 2*s0 + 1) {\n"
      "  symbol s0 in [2, 8], hint 5, from x.size(0)\n"
      "  guard s0 <= 8  # model.py:12\n"
      "}\n";

  const auto outputs = run(text, given(fake({rows})));

  EXPECT_EQ(concatenate(ValueOf<SymInt>::read(outputs[0].get())), "s0");
  EXPECT_EQ(shape_env_of(ValueOf<SymInt>::read(outputs[1].get())), env.get());
  EXPECT_EQ(concatenate(ValueOf<SymInt>::read(outputs[1].get())), "2*s0 + 1");
  ASSERT_EQ(env->guards().size(), 1);
  EXPECT_EQ(concatenate(env->guards()[0].condition), "s0 <= 8");
}

}  // namespace
}  // namespace opwright
