// Covers: src/compile/capture/*.
#include "opwright/compile/capture/capture.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/compile/capture/size_guards.h"
#include "opwright/compile/capture/size_history.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/functions.h"

namespace opwright {
namespace {

Tensor capture_zeros(std::vector<SymInt> sizes) { return opwright::zeros(sizes); }

template <class F>
GraphPtr capture(const F& f, const Tensor& x, uint64_t dynamic = 0) {
  Capture capture;
  capture.add_tensor(x, "x", dynamic);
  Tensor result;
  {
    const InterpreterScope scope(capture.level());
    result = f(x);
  }
  const OpwValue outputs[] = {ValueOf<Tensor>::lend(result)};
  GraphPtr graph = make_functional(*capture.finish(outputs));
  return graph;
}

std::string size_difference(const SizeGuards& guards, const Tensor& x) {
  const OpwValue arguments[] = {ValueOf<Tensor>::lend(x)};
  const std::string text = guards.find_difference(arguments);
  EXPECT_EQ(text.empty(), guards.check(arguments));
  return text;
}

TEST(Capture, TakesTheCallersOwnTensorForItsTwin) {
  const GraphPtr graph = capture([](const Tensor& x) { return x + x; }, capture_zeros({3}));

  EXPECT_EQ(to_text(*graph),
            "graph(%x: float32[3]) -> (%add) {\n"
            "  %add: float32[3] = aten::add.Tensor(%x, %x)\n"
            "}\n");
}

TEST(Capture, MakesSymbolsOfTheDimensionsThatItIsTold) {
  const GraphPtr graph =
      capture([](const Tensor& x) { return x * 2; }, capture_zeros({3, 4}), 0b01);

  EXPECT_EQ(to_text(*graph),
            "graph(%x: float32[s0, 4]) -> (%mul) {\n"
            "  symbol s0 in [1, inf], hint 3, from x.size(0)\n"
            "  %mul: float32[s0, 4] = aten::mul.Scalar(%x, 2)\n"
            "}\n");
}

TEST(Capture, PutsWritesToTheEnd) {
  const GraphPtr graph = capture(
      [](const Tensor& x) {
        Tensor(x).add_(1);
        return x * 2;
      },
      capture_zeros({2}));

  EXPECT_EQ(written_inputs(*graph), std::vector<uint32_t>{0});
  EXPECT_NE(to_text(*graph).find("aten::copy_(%x, %add)"), std::string::npos);
}

TEST(SizeGuards, AskWhatTheFunctionAsked) {
  const GraphPtr graph =
      capture([](const Tensor& x) { return x.reshape(std::vector<SymInt>{-1, 2}); },
              capture_zeros({4}), 0b1);
  const SizeGuards guards(*graph, 1);

  EXPECT_EQ(size_difference(guards, capture_zeros({8})), "");
  EXPECT_EQ(size_difference(guards, capture_zeros({8})), "");
  EXPECT_NE(size_difference(guards, capture_zeros({7})), "");
  EXPECT_FALSE(guards.text().empty());
}

TEST(SizeGuards, AskNothingOfAGraphWithoutSymbols) {
  const GraphPtr graph = capture([](const Tensor& x) { return x * 2; }, capture_zeros({3}));

  EXPECT_TRUE(SizeGuards(*graph, 1).is_empty());
}

TEST(SizeHistory, MakesASymbolOfASizeThatChanged) {
  SizeHistory history(std::nullopt);

  EXPECT_EQ(history.note("x", capture_zeros({3, 4})), 0b00);
  EXPECT_EQ(history.note("x", capture_zeros({5, 4})), 0b01);
  EXPECT_EQ(history.note("x", capture_zeros({1, 4})), 0b00);
  EXPECT_EQ(history.note("x", capture_zeros({3, 4})), 0b01);
  EXPECT_EQ(history.note("y", capture_zeros({5, 4})), 0b00);
  EXPECT_EQ(history.note("x", capture_zeros({5})), 0b0);
}

TEST(SizeHistory, DoesAsItIsTold) {
  SizeHistory always(true);
  SizeHistory never(false);

  EXPECT_EQ(always.note("x", capture_zeros({3, 0, 1, 4})), 0b1001);
  EXPECT_EQ(never.note("x", capture_zeros({3})), 0);
  EXPECT_EQ(never.note("x", capture_zeros({4})), 0);
}

}  // namespace
}  // namespace opwright
