#include "opwright/compile/training/backward_copy.h"

#include <gtest/gtest.h>

#include "opwright/ir/graph/graph.h"

namespace opwright {
namespace {

TEST(BackwardCopy, LeavesOutWhatWasComputedForAbsentGradients) {
  const GraphPtr graph = make_backward_for(
      *parse_graph("graph(%x: float32[8], %t1: float32[8], %t2: float32[8]) -> (%total, %w) {\n"
                   "  %ones: float32[8] = aten::ones_like(%t2)\n"
                   "  %w: float32[8] = opwright::computed_for(%ones, [%t2])\n"
                   "  %neg: float32[8] = aten::neg(%t1)\n"
                   "  %a: float32[8] = opwright::computed_for(%neg, [%t1])\n"
                   "  %total: float32[8] = opwright::sum_gradients(%a, %w)\n"
                   "}\n"),
      1, {true, false});

  EXPECT_EQ(to_text(*graph),
            "graph(%x: float32[8], %t1: float32[8]) -> (%neg, None) {\n"
            "  %neg: float32[8] = aten::neg(%t1)\n"
            "}\n");
}

TEST(BackwardCopy, LeavesOutAGradientThatDependsOnNone) {
  const GraphPtr graph = make_backward_for(
      *parse_graph("graph(%x: float32[8], %t1: float32[8], %t2: float32[8]) -> (%total) {\n"
                   "  %a: float32[8] = opwright::computed_for(%x, [%t1])\n"
                   "  %total: float32[8] = opwright::sum_gradients(%a, %t2)\n"
                   "}\n"),
      1, {false, true});

  EXPECT_EQ(to_text(*graph), "graph(%x: float32[8], %t2: float32[8]) -> (%t2) {\n}\n");
}

TEST(BackwardCopy, FillsZerosForAFormulaThatGotOthers) {
  const GraphPtr graph = make_backward_for(
      *parse_graph("graph(%t1: float32[2], %t2: float32[3]) -> (%out) {\n"
                   "  %cat: float32[5] = aten::cat([%t1, %t2])\n"
                   "  %out: float32[5] = opwright::computed_for(%cat, [%t1, %t2])\n"
                   "}\n"),
      0, {true, false});

  EXPECT_EQ(to_text(*graph),
            "graph(%t1: float32[2]) -> (%cat) {\n"
            "  %zeros: float32[3] = aten::zeros([3], dtype=float32, device=device(\"cpu:0\"))\n"
            "  %cat: float32[5] = aten::cat([%t1, %zeros])\n"
            "}\n");
}

TEST(BackwardCopy, AddsGradientsThatAreThere) {
  const GraphPtr graph =
      make_backward_for(*parse_graph("graph(%t1: float32[2], %t2: float32[2]) -> (%total) {\n"
                                     "  %total: float32[2] = opwright::sum_gradients(%t1, %t2)\n"
                                     "}\n"),
                        0, {true, true});

  EXPECT_EQ(to_text(*graph),
            "graph(%t1: float32[2], %t2: float32[2]) -> (%add) {\n"
            "  %add: float32[2] = aten::add.Tensor(%t1, %t2)\n"
            "}\n");
}

}  // namespace
}  // namespace opwright
