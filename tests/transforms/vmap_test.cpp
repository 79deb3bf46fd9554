// Covers: src/transforms/vmap/*.
#include "opwright/transforms/vmap/vmap.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ir/check_graph_texts.h"  // IWYU pragma: keep: every graph here reads back
#include "ops/op_tensors.h"
#include "opwright/base/warning.h"
#include "opwright/dispatch/registry.h"
#include "opwright/library.h"
#include "opwright/runtime/make_fx.h"
#include "opwright/runtime/vmap.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/transforms/functionalize/functionalize.h"
#include "transforms/recorder.h"

namespace opwright {
namespace {

using testing::floats;
using testing::range;
using testing::Recorder;
using testing::sizes;
using Tensors = std::vector<Tensor>;

// The calls that reach the level below, one per line.
template <class Mapped, class... Inputs>
std::string vmap_calls_of(Mapped mapped, const Inputs&... inputs) {
  const auto recorder = IntrusivePtr<Recorder>::take(new Recorder(nullptr));
  const InterpreterScope scope(recorder.get());
  (void)mapped(inputs...);
  return recorder->text();
}

// ---- Test operators ----

Tensor row_sum(const Tensor& x, double scale) { return x.sum() * scale; }
VmapResult<Tensor> row_sum_vmap(const VmapInfo& info, const Tensor& x, double scale) {
  const Tensor rows = x.movedim(*info.in_dims[0], 0);
  const int64_t columns[] = {1};
  return {.results = rows.flatten(1).sum(columns) * scale, .out_dims = {0}};
}

Tensor& bump(Tensor& x) { return x.add_(1); }

OPWRIGHT_LIBRARY(vmap_test, m) {
  m.def("row_sum(Tensor x, float scale) -> Tensor");
  m.register_vmap("row_sum", &row_sum_vmap);
  m.def("bump_(Tensor(a!) x) -> Tensor(a!)");
}
OPWRIGHT_LIBRARY_IMPL(vmap_test, CPU, m) {
  m.impl("row_sum", &row_sum);
  m.impl("bump_", &bump);
}

Tensor call_row_sum(const Tensor& x, double scale) {
  static OperatorHandle<Tensor(const Tensor&, double)> handle("vmap_test::row_sum");
  return handle(x, scale);
}
Tensor& call_bump(Tensor& x) {
  static OperatorHandle<Tensor&(Tensor&)> handle("vmap_test::bump_");
  return handle(x);
}

std::vector<std::string>& warnings() {
  static std::vector<std::string> texts;
  return texts;
}

// ---- Calls ----

TEST(Vmap, APointwiseOperatorIsOneCall) {
  const auto f = [](const Tensor& x, const Tensor& y) { return x * y; };

  EXPECT_EQ(vmap_calls_of(vmap(f), range({3, 2}), range({3, 2})), "aten::mul.Tensor\n");
  EXPECT_EQ(floats(vmap(f)(range({3, 2}), range({3, 2}))[0]),
            (std::vector<float>{0, 1, 4, 9, 16, 25}));
}

TEST(Vmap, BatchesInOneDimensionStayThere) {
  const auto f = [](const Tensor& x, const Tensor& y) { return x * y; };
  auto mapped = vmap(f, {.in_dims = {1, 1}, .out_dims = {1}});

  EXPECT_EQ(vmap_calls_of(mapped, range({3, 2}), range({3, 2})), "aten::mul.Tensor\n");
}

TEST(Vmap, SamplesOfFewerDimensionsAreAligned) {
  const auto f = [](const Tensor& x, const Tensor& y) { return x * y; };

  EXPECT_EQ(vmap_calls_of(vmap(f), range({3, 2}), range({3})), "aten::view\naten::mul.Tensor\n");
  EXPECT_EQ(floats(vmap(f)(range({3, 2}), range({3}))[0]), (std::vector<float>{0, 0, 2, 3, 8, 10}));
}

TEST(Vmap, ACallWithoutABatchPassesAsItIs) {
  const Tensor y = range({2});
  const auto f = [&](const Tensor& x) { return x + y.sin(); };

  EXPECT_EQ(vmap_calls_of(vmap(f), range({3, 2})), "aten::sin\naten::add.Tensor\n");
}

TEST(Vmap, ARuleOfTheOperatorIsCalledOnce) {
  const auto f = [](const Tensor& x) { return call_row_sum(x, 2.0); };

  EXPECT_EQ(floats(vmap(f, {.in_dims = {1}})(range({3, 2}))[0]), (std::vector<float>{12, 18}));
  EXPECT_EQ(vmap_calls_of(vmap(f), range({3, 2})).find("vmap_test::row_sum"), std::string::npos);
}

TEST(Vmap, AnOperatorWithoutARuleRunsOnViewsOfTheBatchAndWarnsOnce) {
  set_warning_handler([](const char* category, const std::string& text) {
    warnings().push_back(std::string(category) + ": " + text);
  });
  const auto f = [](Tensor x) { return call_bump(x); };
  const Tensor batch = range({2, 2});

  const std::string calls = vmap_calls_of(vmap(f), batch);
  (void)vmap(f)(batch);
  set_warning_handler(nullptr);

  EXPECT_EQ(calls, "aten::select.int\nvmap_test::bump_\naten::select.int\nvmap_test::bump_\n");
  EXPECT_EQ(floats(batch), (std::vector<float>{2, 3, 4, 5}));
  ASSERT_EQ(warnings().size(), 1);
  EXPECT_TRUE(
      warnings()[0].starts_with("PerformanceWarning: vmap_test::bump_ has no vmap rule, so vmap"));
}

TEST(Vmap, AWrittenArgumentIsGivenBackAsItsOwnHandle) {
  bool is_same = false;
  const auto f = [&](Tensor x) {
    is_same = x.mul_(2).get() == x.get();
    return x;
  };

  (void)vmap(f)(range({3}));

  EXPECT_TRUE(is_same);
}

// ---- Inputs and outputs ----

TEST(Vmap, OutputsGoWhereTheOptionsSay) {
  const auto f = [](const Tensor& x) { return Tensors{x, ones({2}), ones({2})}; };
  const VmapOptions options{.in_dims = {-1}, .out_dims = {1, -1, std::nullopt}};

  const Tensors outputs = vmap(f, options)(range({2, 3}));

  EXPECT_EQ(sizes(outputs[0]), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(sizes(outputs[1]), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(sizes(outputs[2]), (std::vector<int64_t>{2}));
}

TEST(Vmap, ChunksAreJoined) {
  const auto f = [](const Tensor& x) { return x * 2; };

  const Tensors outputs = vmap(f, {.chunk_size = 2})(range({5}));

  EXPECT_EQ(floats(outputs[0]), (std::vector<float>{0, 2, 4, 6, 8}));
  EXPECT_EQ(vmap_calls_of(vmap(f, {.chunk_size = 2}), range({5})),
            "aten::slice.Tensor\naten::mul.Scalar\n"
            "aten::slice.Tensor\naten::mul.Scalar\n"
            "aten::slice.Tensor\naten::mul.Scalar\n"
            "aten::cat\n");
}

TEST(Vmap, NestedOnesRunOverTwoDimensions) {
  const auto inner = [](const Tensor& x) {
    return vmap([](const Tensor& y) { return y + 1; })(x)[0];
  };

  EXPECT_EQ(vmap_calls_of(vmap(inner), range({2, 3})), "aten::add.Scalar\n");
  EXPECT_EQ(floats(vmap(inner)(range({2, 3}))[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(Vmap, RefusesInputsThatDoNotFit) {
  auto mapped = vmap([](const Tensor& x, const Tensor& y) { return x + y; });

  EXPECT_ERROR(
      mapped(range({3}), range({2})), "ValueError",
      "vmap: Expected all tensors to have the same size in the mapped dimension, but input 1 "
      "has 3 in dimension 0, input 2 has 2 in dimension 0");
  EXPECT_ERROR(mapped(range({3}), ones({})), "ValueError",
               "vmap: Got in_dim=0 for some input, but that input is a Tensor of dimensionality 0: "
               "input 2 (float32[])");
  auto one = vmap([](const Tensor& x) { return x; }, {.in_dims = {0, 0}});
  EXPECT_ERROR(one(range({3})), "ValueError", "vmap: in_dims has 2 dimensions for 1 tensors");
}

TEST(Vmap, RandomnessIsARule) {
  const auto f = [](const Tensor& x) { return x * 0 + rand({}); };
  const Tensor batch = range({3});

  const std::vector<float> same = floats(vmap(f, {.randomness = Randomness::Same})(batch)[0]);
  const std::vector<float> different =
      floats(vmap(f, {.randomness = Randomness::Different})(batch)[0]);

  EXPECT_EQ(same[0], same[2]);
  EXPECT_NE(different[0], different[2]);
  EXPECT_ERROR_CONTAINS(vmap(f)(batch), "RuntimeError",
                        "aten::rand: random numbers were requested");
}

TEST(Vmap, LeavesNothingBehind) {
  const Tensor batch = range({3, 2});
  const auto before = live_counts().tensors;

  (void)vmap([](const Tensor& x) { return Tensors{call_row_sum(x * 2, 1.0), x}; })(batch);

  EXPECT_EQ(live_counts().tensors, before);
}

// ---- With other transforms ----

TEST(Vmap, IsAPlainGraphWhenItIsTraced) {
  auto mapped = vmap([](const Tensor& x, const Tensor& y) { return x.sin() * y; });
  const auto f = [&](const Tensor& x, const Tensor& y) { return mapped(x, y); };

  const TracedGraph graph = make_fx(f, TracingMode::Symbolic)(range({3, 2}), range({3, 2}));

  EXPECT_EQ(graph.text(),
            "graph(%x: float32[s0, s1], %x_1: float32[s0, s1]) -> (%mul) {\n"
            "  symbol s0 in [2, inf], hint 3, from x.size(0)\n"
            "  symbol s1 in [2, inf], hint 2, from x.size(1)\n"
            "  %sin: float32[s0, s1] = aten::sin(%x)\n"
            "  %mul: float32[s0, s1] = aten::mul.Tensor(%sin, %x_1)\n"
            "}\n");
}

TEST(Vmap, IsFunctionalWhenItIsFunctionalized) {
  const auto f = [](const Tensors& x) { return vmap([](Tensor y) { return y.add_(1); })(x[0]); };
  const Tensor batch = range({3});

  (void)run_functionalized(f, Tensors{batch});

  EXPECT_EQ(floats(batch), (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace opwright
