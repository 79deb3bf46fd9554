// Covers: src/compile/training/min_cut, src/compile/training/recompute.
#include "opwright/compile/training/partition.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/compile/training/min_cut.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {
namespace {

Partition split_in_parts(const std::string& text, std::vector<uint32_t> tangents,
                         size_t num_outputs) {
  return partition(*parse_graph(text), {.tangents = tangents, .num_outputs = num_outputs});
}

TEST(MinCut, TakesTheCheapestEdgesNearestToTheSink) {
  MinCut cut;
  const uint32_t a = cut.add_vertex();
  const uint32_t b = cut.add_vertex();
  const uint32_t c = cut.add_vertex();
  cut.add_edge(MinCut::kSource, a, 5);
  cut.add_edge(a, b, 3);
  cut.add_edge(b, c, 3);
  cut.add_edge(c, MinCut::kSink, 4);

  const std::vector<bool> is_sink_side = cut.find_sink_side();

  EXPECT_EQ(is_sink_side, (std::vector<bool>{false, true, false, false, true}));
}

TEST(MinCut, AddsUpPathsThatMeet) {
  MinCut cut;
  const uint32_t a = cut.add_vertex();
  const uint32_t b = cut.add_vertex();
  const uint32_t both = cut.add_vertex();
  cut.add_edge(MinCut::kSource, a, 2);
  cut.add_edge(MinCut::kSource, b, 2);
  cut.add_edge(a, both, MinCut::kUncuttable);
  cut.add_edge(b, both, MinCut::kUncuttable);
  cut.add_edge(both, MinCut::kSink, 3);

  const std::vector<bool> is_sink_side = cut.find_sink_side();

  EXPECT_EQ(is_sink_side, (std::vector<bool>{false, true, false, false, false}));
}

TEST(Partition, ComputesCheapValuesAgain) {
  const Partition parts = split_in_parts(
      "graph(%x: float32[8], %tangent: float32[8]) -> (%sin, %mul_1) {\n"
      "  %mul: float32[8] = aten::mul.Scalar(%x, 2)\n"
      "  %sin: float32[8] = aten::sin(%mul)\n"
      "  %cos: float32[8] = aten::cos(%mul)\n"
      "  %scaled: float32[8] = aten::mul.Tensor(%tangent, %cos)\n"
      "  %mul_1: float32[8] = aten::mul.Scalar(%scaled, 2)\n"
      "}\n",
      {1}, 1);

  EXPECT_EQ(to_text(*parts.forward),
            "graph(%x: float32[8]) -> (%sin, %cos) {\n"
            "  %mul: float32[8] = aten::mul.Scalar(%x, 2)\n"
            "  %sin: float32[8] = aten::sin(%mul)\n"
            "  %cos: float32[8] = aten::cos(%mul)\n"
            "}\n");
  EXPECT_EQ(to_text(*parts.backward),
            "graph(%cos: float32[8], %tangent: float32[8]) -> (%mul_1) {\n"
            "  %scaled: float32[8] = aten::mul.Tensor(%tangent, %cos)\n"
            "  %mul_1: float32[8] = aten::mul.Scalar(%scaled, 2)\n"
            "}\n");
}

TEST(Partition, SavesOneValueThatManyComeFrom) {
  const Partition parts = split_in_parts(
      "graph(%x: float32[8], %tangent: float32[8]) -> (%sin, %c) {\n"
      "  %mul: float32[8] = aten::mul.Scalar(%x, 2)\n"
      "  %sin: float32[8] = aten::sin(%mul)\n"
      "  %cos: float32[8] = aten::cos(%mul)\n"
      "  %exp: float32[8] = aten::exp(%mul)\n"
      "  %a: float32[8] = aten::mul.Tensor(%tangent, %cos)\n"
      "  %b: float32[8] = aten::mul.Tensor(%tangent, %exp)\n"
      "  %c: float32[8] = aten::add.Tensor(%a, %b)\n"
      "}\n",
      {1}, 1);

  EXPECT_EQ(to_text(*parts.backward),
            "graph(%mul: float32[8], %tangent: float32[8]) -> (%c) {\n"
            "  %cos: float32[8] = aten::cos(%mul)\n"
            "  %exp: float32[8] = aten::exp(%mul)\n"
            "  %a: float32[8] = aten::mul.Tensor(%tangent, %cos)\n"
            "  %b: float32[8] = aten::mul.Tensor(%tangent, %exp)\n"
            "  %c: float32[8] = aten::add.Tensor(%a, %b)\n"
            "}\n");
  EXPECT_EQ(parts.saved_bytes, 32);
}

TEST(Partition, SavesProductsAndTakesViewsAgain) {
  const Partition parts = split_in_parts(
      "graph(%x: float32[4, 4], %w: float32[4, 4], %tangent: float32[4, 4]) -> (%exp, %dx, %dw) {\n"
      "  %mm: float32[4, 4] = aten::mm(%x, %w)\n"
      "  %exp: float32[4, 4] = aten::exp(%mm)\n"
      "  %dmm: float32[4, 4] = aten::mul.Tensor(%tangent, %exp)\n"
      "  %wt: float32[4, 4] strides [1, 4] = aten::t(%w)\n"
      "  %dx: float32[4, 4] = aten::mm(%dmm, %wt)\n"
      "  %xt: float32[4, 4] strides [1, 4] = aten::t(%x)\n"
      "  %dw: float32[4, 4] = aten::mm(%xt, %dmm)\n"
      "}\n",
      {2}, 1);

  ASSERT_EQ(parts.saved.size(), 3);
  EXPECT_EQ(parts.saved[0].input, 0);
  EXPECT_EQ(parts.saved[1].input, 1);
  EXPECT_EQ(parts.saved[2].output, 0);
  EXPECT_EQ(to_text(*parts.backward),
            "graph(%x: float32[4, 4], %w: float32[4, 4], %exp: float32[4, 4], %tangent: float32[4, "
            "4]) -> (%dx, %dw) {\n"
            "  %dmm: float32[4, 4] = aten::mul.Tensor(%tangent, %exp)\n"
            "  %wt: float32[4, 4] strides [1, 4] = aten::t(%w)\n"
            "  %dx: float32[4, 4] = aten::mm(%dmm, %wt)\n"
            "  %xt: float32[4, 4] strides [1, 4] = aten::t(%x)\n"
            "  %dw: float32[4, 4] = aten::mm(%xt, %dmm)\n"
            "}\n");
}

TEST(Partition, SavesAMaskRatherThanNumbers) {
  const Partition parts = split_in_parts(
      "graph(%x: float32[8, 8], %w: float32[8, 8], %tangent: float32[8, 8]) -> (%total, %d) {\n"
      "  %mm: float32[8, 8] = aten::mm(%x, %w)\n"
      "  %gt: bool[8, 8] = aten::gt.Scalar(%mm, 0)\n"
      "  %total: float32[8, 8] = aten::exp(%mm)\n"
      "  %d: float32[8, 8] = aten::mul.Tensor(%tangent, %gt)\n"
      "}\n",
      {2}, 1);

  ASSERT_EQ(parts.saved.size(), 1);
  EXPECT_EQ(parts.saved[0].name, "gt");
  EXPECT_EQ(parts.saved_bytes, 64);
}

TEST(Partition, CopiesWhatIsWrittenBeforeTheBackward) {
  const Partition parts = split_in_parts(
      "graph(%x: float32[8], %w: float32[8], %tangent: float32[8]) -> (%mul, %dw) {\n"
      "  %mul: float32[8] = aten::mul.Tensor(%x, %w)\n"
      "  %dw: float32[8] = aten::mul.Tensor(%tangent, %x)\n"
      "  %copy_: float32[8] = aten::copy_(%x, %mul)\n"
      "}\n",
      {2}, 1);

  EXPECT_EQ(to_text(*parts.forward),
            "graph(%x: float32[8], %w: float32[8]) -> (%mul, %clone) {\n"
            "  %mul: float32[8] = aten::mul.Tensor(%x, %w)\n"
            "  %clone: float32[8] = aten::clone(%x)\n"
            "  %copy_: float32[8] = aten::copy_(%x, %mul)\n"
            "}\n");
  EXPECT_EQ(parts.saved[0].input, SavedValue::kNone);
}

TEST(Partition, SavesSizesThatNoTensorShows) {
  const Partition parts = split_in_parts(
      "graph(%x: float32[s0, 3], %tangent: float32[]) -> (%total, %expand) {\n"
      "  symbol s0 in [2, inf], hint 5, from x.size(0)\n"
      "  %total: float32[] = aten::sum(%x)\n"
      "  %expand: float32[s0, 3] strides [0, 0] = aten::expand(%tangent, [s0, 3])\n"
      "}\n",
      {1}, 1);

  EXPECT_EQ(parts.num_saved_ints, 1);
  EXPECT_EQ(to_text(*parts.forward),
            "graph(%x: float32[s0, 3]) -> (%total, s0) {\n"
            "  symbol s0 in [2, inf], hint 5, from x.size(0)\n"
            "  %total: float32[] = aten::sum(%x)\n"
            "}\n");
  EXPECT_EQ(to_text(*parts.backward),
            "graph(%tangent: float32[], %s0: int(s0)) -> (%expand) {\n"
            "  symbol s0 in [2, inf], hint 5, from x.size(0)\n"
            "  %expand: float32[s0, 3] strides [0, 0] = aten::expand(%tangent, [s0, 3])\n"
            "}\n");
}

TEST(Partition, RefusesAnEffectOfABackward) {
  EXPECT_ERROR_CONTAINS(
      (void)split_in_parts("graph(%x: float32[8], %tangent: float32[8]) -> (%mul) {\n"
                           "  %mul: float32[8] = aten::mul.Tensor(%x, %x)\n"
                           "  %copy_: float32[8] = aten::copy_(%x, %tangent)\n"
                           "}\n",
                           {1}, 1),
      "RuntimeError", "aten::copy_ in a backward formula has side effects");
}

}  // namespace
}  // namespace opwright
