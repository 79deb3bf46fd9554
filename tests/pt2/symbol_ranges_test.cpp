#include "opwright/pt2/archive/symbol_ranges.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/error.h"
#include "opwright/pt2/archive/archive_graph.h"

namespace opwright::pt2 {
namespace {

std::string text_of(const SymbolRanges& stated) {
  std::string text;
  for (const auto& [symbol, range] : find_symbol_ranges(stated, "net.pt2")) {
    text += concatenate(symbol, " [", range.least ? concatenate(*range.least) : "", ", ",
                        range.greatest ? concatenate(*range.greatest) : "", "]");
  }
  return text;
}

TEST(SymbolRanges, ASymbolHasItsRange) {
  EXPECT_EQ(text_of({{"s0", {.least = 2, .greatest = 64}}}), "s0 [2, 64]");
  EXPECT_EQ(text_of({{"s0", {.least = 3, .greatest = {}}}}), "s0 [3, ]");
  EXPECT_EQ(text_of({{"s0", {.least = 0, .greatest = 64}}}), "s0 [, 64]");
}

TEST(SymbolRanges, ExpressionsRoundInwards) {
  EXPECT_EQ(text_of({{"4*s0", {.least = 9, .greatest = 43}}}), "s0 [3, 10]");
  EXPECT_EQ(text_of({{"2*s0 + 1", {.least = 4, .greatest = 8}}}), "s0 [2, 3]");
  EXPECT_EQ(text_of({{"2*s0 + 9", {.least = 4, .greatest = {}}}}), "s0 [, ]");
}

TEST(SymbolRanges, AllExpressionsLimitTheSymbol) {
  EXPECT_EQ(text_of({{"s0", {.least = 2, .greatest = 64}},
                     {"4*s0", {.least = 12, .greatest = 1000}},
                     {"s0 - 1", {.least = {}, .greatest = 19}}}),
            "s0 [3, 20]");
  EXPECT_ERROR(
      text_of({{"2*s0", {.least = 40, .greatest = {}}}, {"s0", {.least = {}, .greatest = 9}}}),
      "ValueError",
      "net.pt2, range_constraints: no value of 's0' is in all ranges that are stated; "
      "'s0' is the last of them");
}

TEST(SymbolRanges, ABoundBeyond64BitsIsNone) {
  EXPECT_EQ(text_of({{"s0 - 5", {.least = 2, .greatest = INT64_MAX}}}), "s0 [7, ]");
}

TEST(SymbolRanges, ARangeWithoutALimitNeedsNoMeaning) {
  EXPECT_EQ(text_of({{"s0*s1", {.least = 0, .greatest = {}}}}), "");
  EXPECT_ERROR(text_of({{"s0*s1", {.least = 4, .greatest = {}}}}), "NotImplementedError",
               "net.pt2, range_constraints: the size 's0*s1' of an input is not supported; sizes "
               "of inputs may be numbers, symbols, and linear in one symbol");
  EXPECT_ERROR(text_of({{"4 - s0", {.least = 2, .greatest = {}}}}), "NotImplementedError",
               "net.pt2, range_constraints: the range of '4 - s0' is not supported; a symbol must "
               "have a positive factor");
}

}  // namespace
}  // namespace opwright::pt2
