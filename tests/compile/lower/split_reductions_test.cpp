#include "opwright/compile/lower/split_reductions.h"

#include <string>

#include <gtest/gtest.h>

#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/passes/dead_code.h"

namespace opwright {
namespace {

std::string split_all_folds(const std::string& text) {
  const GraphPtr graph = parse_graph(text);
  split_reductions(*graph, llvm_target());
  remove_dead_code(*graph);
  verify(*graph);
  return to_text(*graph);
}

TEST(SplitFolds, FoldsRowsFirst) {
  EXPECT_EQ(split_all_folds("graph(%x: float32[512, 256]) -> (%total) {\n"
                            "  %exp: float32[512, 256] = aten::exp(%x)\n"
                            "  %total: float32[] = aten::sum(%exp)\n"
                            "}\n"),
            "graph(%x: float32[512, 256]) -> (%sum_2) {\n"
            "  %exp: float32[512, 256] = aten::exp(%x)\n"
            "  %sum_1: float32[512] = aten::sum.dim_IntList(%exp, [1], dtype=float32)\n"
            "  %sum_2: float32[] = aten::sum(%sum_1, dtype=float32)\n"
            "}\n");
}

TEST(SplitFolds, KeepsPartialMeansOfHalvesWide) {
  EXPECT_EQ(split_all_folds("graph(%x: float16[512, 256]) -> (%total) {\n"
                            "  %exp: float16[512, 256] = aten::exp(%x)\n"
                            "  %total: float16[] = aten::mean(%exp)\n"
                            "}\n"),
            "graph(%x: float16[512, 256]) -> (%mean_1) {\n"
            "  %exp: float16[512, 256] = aten::exp(%x)\n"
            "  %mean: float32[512] = aten::mean.dim(%exp, [1], dtype=float32)\n"
            "  %mean_1: float16[] = aten::mean(%mean, dtype=float16)\n"
            "}\n");
}

TEST(SplitFolds, LeavesSmallFolds) {
  const std::string text =
      "graph(%x: float32[8, 8]) -> (%total) {\n"
      "  %exp: float32[8, 8] = aten::exp(%x)\n"
      "  %total: float32[] = aten::sum(%exp)\n"
      "}\n";

  EXPECT_EQ(split_all_folds(text), text);
}

TEST(SplitFolds, LeavesFoldsOfWhatNoNestComputes) {
  const std::string text =
      "graph(%x: float32[512, 512]) -> (%total) {\n"
      "  %mm: float32[512, 512] = aten::mm(%x, %x)\n"
      "  %total: float32[] = aten::sum(%mm)\n"
      "}\n";

  EXPECT_EQ(split_all_folds(text), text);
}

}  // namespace
}  // namespace opwright
