// Covers: src/compile/fuse/*.
#include "opwright/compile/fuse/fusion_plan.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/compile/fuse/nest_plan.h"
#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {
namespace {

// The nests of a graph, each with the names of its inputs and outputs.
std::string nests_of(const std::string& text) {
  const GraphPtr graph = parse_graph(text);
  const FusionPlan plan = plan_fusion(*graph, llvm_target());
  std::string nests;
  for (const FusionGroup& group : plan.groups) {
    const NestPlan nest = plan_nest(plan, group, plan.outputs(group), graph->shape_env().get());
    nests += "(";
    for (const GraphValue* input : nest.inputs) nests += " " + input->name();
    nests += " ->";
    for (const GraphValue* output : nest.outputs) nests += " " + output->name();
    nests += " )\n" + to_text(nest.nest);
  }
  return nests;
}

TEST(PlanFusion, PutsAChainOfPointwiseOperatorsIntoOneLoop) {
  EXPECT_EQ(nests_of("graph(%x: float32[4, 8], %y: float32[4, 8]) -> (%relu) {\n"
                     "  %mul: float32[4, 8] = aten::mul.Tensor(%x, %y)\n"
                     "  %add: float32[4, 8] = aten::add.Tensor(%mul, %x)\n"
                     "  %relu: float32[4, 8] = aten::relu(%add)\n"
                     "}\n"),
            "( x y -> relu )\n"
            "rows depth columns 32\n"
            "operand 0 float32 [1]\n"
            "operand 1 float32 [1]\n"
            "operand 2 written float32 [1]\n"
            "%0 float32 = load 0\n"
            "%1 float32 = load 1\n"
            "%2 float32 = multiply %0 %1\n"
            "%3 float32 = add %2 %0\n"
            "%4 float32 = constant 0\n"
            "%5 bool = less %3 %4\n"
            "%6 float32 = select %5 %4 %3\n"
            "store 2 %6\n");
}

TEST(PlanFusion, BroadcastsARowOverALoopOfRows) {
  EXPECT_EQ(nests_of("graph(%x: float32[4, 8], %b: float32[8]) -> (%relu) {\n"
                     "  %add: float32[4, 8] = aten::add.Tensor(%x, %b)\n"
                     "  %relu: float32[4, 8] = aten::relu(%add)\n"
                     "}\n"),
            "( x b -> relu )\n"
            "rows 4 depth columns 8\n"
            "operand 0 float32 [8, 1]\n"
            "operand 1 float32 [0, 1]\n"
            "operand 2 written float32 [8, 1]\n"
            "%0 float32 = load 0\n"
            "%1 float32 = load 1\n"
            "%2 float32 = add %0 %1\n"
            "%3 float32 = constant 0\n"
            "%4 bool = less %2 %3\n"
            "%5 float32 = select %4 %3 %2\n"
            "store 2 %5\n");
}

TEST(PlanFusion, MakesOneNestOfASoftmax) {
  EXPECT_EQ(nests_of("graph(%x: float32[4, 8]) -> (%div) {\n"
                     "  %amax: float32[4, 1] = aten::amax(%x, [1], True)\n"
                     "  %sub: float32[4, 8] = aten::sub.Tensor(%x, %amax)\n"
                     "  %exp: float32[4, 8] = aten::exp(%sub)\n"
                     "  %total: float32[4, 1] = aten::sum.dim_IntList(%exp, [1], True)\n"
                     "  %div: float32[4, 8] = aten::div.Tensor(%exp, %total)\n"
                     "}\n"),
            "( x -> div )\n"
            "rows 4 depth columns 8 folded\n"
            "operand 0 float32 [8, 1]\n"
            "operand 1 written float32 [8, 1]\n"
            "%0 float32 = load 0\n"
            "%1 float32 = fold_maximum %0\n"
            "%2 float32 = subtract %0 %1\n"
            "%3 float32 = exp %2\n"
            "%4 float32 = fold_sum %3\n"
            "%5 float32 = divide %3 %4\n"
            "store 1 %5\n");
}

TEST(PlanFusion, LooksThroughViewsThatNameDimensionsAnew) {
  EXPECT_EQ(nests_of("graph(%x: float32[4, 8]) -> (%mul) {\n"
                     "  %exp: float32[4, 8] = aten::exp(%x)\n"
                     "  %total: float32[4] = aten::sum.dim_IntList(%exp, [1])\n"
                     "  %row: float32[4, 1] = aten::unsqueeze(%total, 1)\n"
                     "  %mul: float32[4, 8] = aten::mul.Tensor(%exp, %row)\n"
                     "}\n"),
            "( x -> mul )\n"
            "rows 4 depth columns 8 folded\n"
            "operand 0 float32 [8, 1]\n"
            "operand 1 written float32 [8, 1]\n"
            "%0 float32 = load 0\n"
            "%1 float32 = exp %0\n"
            "%2 float32 = fold_sum %1\n"
            "%3 float32 = multiply %1 %2\n"
            "store 1 %3\n");
}

TEST(PlanFusion, FoldsRowsOverTheColumnsOfANeighbour) {
  EXPECT_EQ(nests_of("graph(%x: float32[64, 8], %y: float32[64, 8]) -> (%total) {\n"
                     "  %mul: float32[64, 8] = aten::mul.Tensor(%x, %y)\n"
                     "  %total: float32[8] = aten::sum.dim_IntList(%mul, [0])\n"
                     "}\n"),
            "( x y -> total )\n"
            "rows depth 64 columns 8\n"
            "operand 0 float32 [8, 1]\n"
            "operand 1 float32 [8, 1]\n"
            "operand 2 written float32 [0, 1]\n"
            "%0 float32 = load 0\n"
            "%1 float32 = load 1\n"
            "%2 float32 = multiply %0 %1\n"
            "%3 float32 = fold_sum %2\n"
            "store 2 %3\n");
}

TEST(PlanFusion, KeepsSymbolicSizesAsNumbers) {
  EXPECT_EQ(nests_of("graph(%x: float32[s0, 8], %b: float32[8]) -> (%relu) {\n"
                     "  symbol s0 in [2, inf], hint 4, from x.size(0)\n"
                     "  %add: float32[s0, 8] = aten::add.Tensor(%x, %b)\n"
                     "  %relu: float32[s0, 8] = aten::relu(%add)\n"
                     "}\n"),
            "( x b -> relu )\n"
            "rows n0 depth columns 8\n"
            "operand 0 float32 [8, 1]\n"
            "operand 1 float32 [0, 1]\n"
            "operand 2 written float32 [8, 1]\n"
            "%0 float32 = load 0\n"
            "%1 float32 = load 1\n"
            "%2 float32 = add %0 %1\n"
            "%3 float32 = constant 0\n"
            "%4 bool = less %2 %3\n"
            "%5 float32 = select %4 %3 %2\n"
            "store 2 %5\n");
}

TEST(PlanFusion, LeavesOutWhatAnotherNodeStandsBetween) {
  EXPECT_EQ(nests_of("graph(%x: float32[4, 4]) -> (%last) {\n"
                     "  %exp: float32[4, 4] = aten::exp(%x)\n"
                     "  %sin: float32[4, 4] = aten::sin(%exp)\n"
                     "  %mm: float32[4, 4] = aten::mm(%sin, %sin)\n"
                     "  %add: float32[4, 4] = aten::add.Tensor(%mm, %exp)\n"
                     "  %last: float32[4, 4] = aten::relu(%add)\n"
                     "}\n"),
            "( x -> sin exp )\n"
            "rows depth columns 16\n"
            "operand 0 float32 [1]\n"
            "operand 1 written float32 [1]\n"
            "operand 2 written float32 [1]\n"
            "%0 float32 = load 0\n"
            "%1 float32 = exp %0\n"
            "%2 float32 = sin %1\n"
            "store 1 %2\n"
            "store 2 %1\n"
            "( mm exp -> last )\n"
            "rows depth columns 16\n"
            "operand 0 float32 [1]\n"
            "operand 1 float32 [1]\n"
            "operand 2 written float32 [1]\n"
            "%0 float32 = load 0\n"
            "%1 float32 = load 1\n"
            "%2 float32 = add %0 %1\n"
            "%3 float32 = constant 0\n"
            "%4 bool = less %2 %3\n"
            "%5 float32 = select %4 %3 %2\n"
            "store 2 %5\n");
}

TEST(PlanFusion, PutsNothingOnBothSidesOfANodeThatStandsBetween) {
  // Both chains read x, and the second depends on the first through a product and a view of it.
  EXPECT_EQ(nests_of("graph(%x: float32[4, 4]) -> (%last) {\n"
                     "  %exp: float32[4, 4] = aten::exp(%x)\n"
                     "  %sin: float32[4, 4] = aten::sin(%exp)\n"
                     "  %view: float32[4, 4] strides [1, 4] = aten::t(%sin)\n"
                     "  %mm: float32[4, 4] = aten::mm(%view, %view)\n"
                     "  %add: float32[4, 4] = aten::add.Tensor(%mm, %x)\n"
                     "  %last: float32[4, 4] = aten::relu(%add)\n"
                     "}\n"),
            "( x -> sin )\n"
            "rows depth columns 16\n"
            "operand 0 float32 [1]\n"
            "operand 1 written float32 [1]\n"
            "%0 float32 = load 0\n"
            "%1 float32 = exp %0\n"
            "%2 float32 = sin %1\n"
            "store 1 %2\n"
            "( mm x -> last )\n"
            "rows depth columns 16\n"
            "operand 0 float32 [1]\n"
            "operand 1 float32 [1]\n"
            "operand 2 written float32 [1]\n"
            "%0 float32 = load 0\n"
            "%1 float32 = load 1\n"
            "%2 float32 = add %0 %1\n"
            "%3 float32 = constant 0\n"
            "%4 bool = less %2 %3\n"
            "%5 float32 = select %4 %3 %2\n"
            "store 2 %5\n");
}

TEST(PlanFusion, JoinsChainsThatReadTheSame) {
  EXPECT_EQ(nests_of("graph(%x: float32[4, 4]) -> (%a2, %b2) {\n"
                     "  %a1: float32[4, 4] = aten::exp(%x)\n"
                     "  %a2: float32[4, 4] = aten::sin(%a1)\n"
                     "  %b1: float32[4, 4] = aten::neg(%x)\n"
                     "  %b2: float32[4, 4] = aten::tanh(%b1)\n"
                     "}\n"),
            "( x -> b2 a2 )\n"
            "rows depth columns 16\n"
            "operand 0 float32 [1]\n"
            "operand 1 written float32 [1]\n"
            "operand 2 written float32 [1]\n"
            "%0 float32 = load 0\n"
            "%1 float32 = exp %0\n"
            "%2 float32 = sin %1\n"
            "%3 float32 = negate %0\n"
            "%4 float32 = tanh %3\n"
            "store 1 %4\n"
            "store 2 %2\n");
}

TEST(PlanFusion, LeavesASingleOperatorACall) {
  EXPECT_EQ(nests_of("graph(%x: float32[4]) -> (%exp) {\n"
                     "  %exp: float32[4] = aten::exp(%x)\n"
                     "}\n"),
            "");
}

}  // namespace
}  // namespace opwright
