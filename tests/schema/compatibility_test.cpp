#include "opwright/schema/compatibility.h"

#include <gtest/gtest.h>

#include "opwright/schema/parser.h"

namespace opwright {
namespace {

std::string why(const std::string& old_text, const std::string& new_text) {
  return why_incompatible(parse_schema("a::f" + old_text), parse_schema("a::f" + new_text))
      .value_or("compatible");
}

TEST(Compatibility, NewArgumentsWithDefaultsAreHarmless) {
  EXPECT_EQ(why("(int x) -> int", "(int x, int y=1, *, int z=2) -> int"), "compatible");
  EXPECT_EQ(why("(int x) -> int", "(int? x=None) -> int"), "compatible");
}

TEST(Compatibility, NamesTheFirstReason) {
  EXPECT_EQ(why("(int x) -> int", "(int y) -> int"), "argument 'x' was removed");
  EXPECT_EQ(why("(int x, int y) -> int", "(int y, int x) -> int"),
            "argument 'x' was at position 1 and is at 2");
  EXPECT_EQ(why("(int x) -> int", "(float x) -> int"), "argument 'x' was int and is float");
  EXPECT_EQ(why("(int x) -> int", "(*, int x) -> int"),
            "argument 'x' can be given by keyword only");
  EXPECT_EQ(why("(int x=1) -> int", "(int x) -> int"), "argument 'x' has no default any more");
  EXPECT_EQ(why("(int x=1) -> int", "(int x=2) -> int"),
            "the default of argument 'x' was 1 and is 2");
  EXPECT_EQ(why("(int x) -> int", "(int x, int y) -> int"), "the new argument 'y' has no default");
  EXPECT_EQ(why("(int x) -> int", "(int x) -> (int, int)"), "it returned 1 values and returns 2");
  EXPECT_EQ(why("(int x) -> int", "(int x) -> float"), "return 0 was int and is float");
  EXPECT_EQ(why("(Tensor x) -> ()", "(Tensor(a!) x) -> ()"),
            "argument 'x' was marked Tensor and is Tensor(a!)");
}

}  // namespace
}  // namespace opwright
