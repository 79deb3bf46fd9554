#include "opwright/compile/lower/split_products.h"

#include <string>

#include <gtest/gtest.h>

#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/passes/dead_code.h"

namespace opwright {
namespace {

std::string split_all_products(const std::string& text) {
  const GraphPtr graph = parse_graph(text);
  split_products(*graph, llvm_target());
  remove_dead_code(*graph);
  verify(*graph);
  return to_text(*graph);
}

TEST(SplitProducts, PartsASumThatAPointwiseOperatorTakes) {
  EXPECT_EQ(split_all_products(
                "graph(%b: float32[4], %x: float32[6, 3], %w: float32[3, 4]) -> (%relu) {\n"
                "  %addmm: float32[6, 4] = aten::addmm(%b, %x, %w)\n"
                "  %relu: float32[6, 4] = aten::relu(%addmm)\n"
                "}\n"),
            "graph(%b: float32[4], %x: float32[6, 3], %w: float32[3, 4]) -> (%relu) {\n"
            "  %mm: float32[6, 4] = aten::mm(%x, %w)\n"
            "  %add: float32[6, 4] = aten::add.Tensor(%mm, %b)\n"
            "  %relu: float32[6, 4] = aten::relu(%add)\n"
            "}\n");
}

TEST(SplitProducts, AddsBehindAReshapeOfTheRows) {
  EXPECT_EQ(split_all_products(
                "graph(%b: float32[4], %x: float32[6, 3], %w: float32[3, 4]) -> (%relu) {\n"
                "  %addmm: float32[6, 4] = aten::addmm(%b, %x, %w)\n"
                "  %view: float32[2, 3, 4] = aten::view(%addmm, [2, 3, 4])\n"
                "  %relu: float32[2, 3, 4] = aten::relu(%view)\n"
                "}\n"),
            "graph(%b: float32[4], %x: float32[6, 3], %w: float32[3, 4]) -> (%relu) {\n"
            "  %mm: float32[6, 4] = aten::mm(%x, %w)\n"
            "  %view_1: float32[2, 3, 4] = aten::view(%mm, [2, 3, 4])\n"
            "  %add: float32[2, 3, 4] = aten::add.Tensor(%view_1, %b)\n"
            "  %relu: float32[2, 3, 4] = aten::relu(%add)\n"
            "}\n");
}

TEST(SplitProducts, LeavesASumThatNothingPointwiseTakes) {
  const std::string text =
      "graph(%b: float32[4], %x: float32[6, 3], %w: float32[3, 4]) -> (%addmm) {\n"
      "  %addmm: float32[6, 4] = aten::addmm(%b, %x, %w)\n"
      "}\n";

  EXPECT_EQ(split_all_products(text), text);
}

TEST(SplitProducts, LeavesASumWithFactors) {
  const std::string text =
      "graph(%b: float32[4], %x: float32[6, 3], %w: float32[3, 4]) -> (%relu) {\n"
      "  %addmm: float32[6, 4] = aten::addmm(%b, %x, %w, alpha=2)\n"
      "  %relu: float32[6, 4] = aten::relu(%addmm)\n"
      "}\n";

  EXPECT_EQ(split_all_products(text), text);
}

}  // namespace
}  // namespace opwright
