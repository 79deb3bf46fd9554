#include "opwright/compile/fuse/loop_order.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace opwright {
namespace {

std::string text_of(const DomainLoop& loop) {
  std::string text = "(";
  for (const uint32_t dim : loop.dims) text += std::to_string(dim) + " ";
  append_text(text, loop.extent);
  return text + ")";
}

std::string order(const std::vector<SymInt>& sizes, const std::vector<bool>& is_folded,
                  const std::vector<DomainOperand>& operands) {
  const LoopOrder found = order_loops(sizes, is_folded, operands, nullptr);
  std::string text = "rows";
  for (const DomainLoop& loop : found.rows) text += " " + text_of(loop);
  text += " depth";
  for (const DomainLoop& loop : found.depth) text += " " + text_of(loop);
  return text + " columns " + text_of(found.columns) + (found.folds_columns ? " folded" : "");
}

TEST(OrderLoops, WalksDenseOperandsAsOneLoop) {
  EXPECT_EQ(order({2, 3, 4}, {false, false, false},
                  {{.strides = {12, 4, 1}}, {.strides = {12, 4, 1}, .is_written = true}}),
            "rows depth columns (0 1 2 24)");
}

TEST(OrderLoops, KeepsARepeatedOperandInALoopOfItsOwn) {
  EXPECT_EQ(order({2, 3, 4}, {false, false, false},
                  {{.strides = {0, 0, 1}}, {.strides = {12, 4, 1}, .is_written = true}}),
            "rows (0 1 6) depth columns (2 4)");
}

TEST(OrderLoops, WalksAlongTheMemoryOfPermutedOperands) {
  EXPECT_EQ(
      order({4, 6}, {false, false}, {{.strides = {1, 4}}, {.strides = {1, 4}, .is_written = true}}),
      "rows depth columns (1 0 24)");
}

TEST(OrderLoops, FoldsTheColumnsOfRows) {
  EXPECT_EQ(order({8, 16}, {false, true},
                  {{.strides = {16, 1}}, {.strides = {1, 0}, .is_written = true}}),
            "rows (0 8) depth columns (1 16) folded");
}

TEST(OrderLoops, FoldsTheDepthWhereColumnsStay) {
  EXPECT_EQ(order({8, 16}, {true, false},
                  {{.strides = {16, 1}}, {.strides = {0, 1}, .is_written = true}}),
            "rows depth (0 8) columns (1 16)");
}

TEST(OrderLoops, FoldsDimensionsThatLieApart) {
  EXPECT_EQ(order({2, 8, 16}, {true, false, true},
                  {{.strides = {128, 16, 1}}, {.strides = {0, 1, 0}, .is_written = true}}),
            "rows (1 8) depth (0 2) columns (2 16) folded");
}

TEST(OrderLoops, HasOneColumnForASingleElement) {
  EXPECT_EQ(order({}, {}, {{.strides = {}, .is_written = true}}), "rows depth columns (1)");
}

}  // namespace
}  // namespace opwright
