// Tests the public opwright/symint.h with an owner of symbols.
#include "opwright/symint.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::TestOwner;

std::string text_of(const SymInt& value) { return concatenate(value); }

TEST(SymInt, FoldsPlainInts) {
  const SymInt a = 7;
  const SymInt b = 2;
  EXPECT_EQ((a + b).word(), 9);
  EXPECT_EQ((a - b).word(), 5);
  EXPECT_EQ((a * b).word(), 14);
  EXPECT_EQ(sym_max(a, b).word(), 7);
  EXPECT_EQ(sym_min(a, b).word(), 2);
  EXPECT_TRUE(a > b);
  EXPECT_FALSE(a == b);
}

TEST(SymInt, DividesTowardsMinusInfinityAsPythonDoes) {
  const auto divide = [](int64_t a, int64_t b) { return (SymInt(a) / SymInt(b)).word(); };
  EXPECT_EQ(divide(7, 2), 3);
  EXPECT_EQ(divide(-7, 2), -4);
  EXPECT_EQ(divide(7, -2), -4);
  EXPECT_EQ(divide(-7, -2), 3);
  EXPECT_EQ(divide(-6, 2), -3);
}

TEST(SymInt, TakesTheSignOfTheDivisorInARemainder) {
  const auto remainder = [](int64_t a, int64_t b) { return (SymInt(a) % SymInt(b)).word(); };
  EXPECT_EQ(remainder(7, 2), 1);
  EXPECT_EQ(remainder(-7, 2), 1);
  EXPECT_EQ(remainder(7, -2), -1);
  EXPECT_EQ(remainder(-7, -2), -1);
  EXPECT_EQ(remainder(-6, 2), 0);
}

TEST(SymInt, RefusesDivisionByZero) {
  EXPECT_ERROR(SymInt(1) / SymInt(0), "ZeroDivisionError", "division of a size by zero");
  EXPECT_ERROR(SymInt(1) % SymInt(0), "ZeroDivisionError", "division of a size by zero");
}

TEST(SymInt, RefusesAnIntThatWouldReadAsASymbol) {
  EXPECT_ERROR(SymInt(kOpwSmallestInt - 1), "OverflowError",
               "SymInt: -4611686018427387905 is below -2^62");
  EXPECT_EQ(SymInt(kOpwSmallestInt).word(), kOpwSmallestInt);
}

TEST(SymInt, BuildsExpressionsOfSymbols) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 4);
  const SymInt s1 = owner.backed("s1", 3);
  EXPECT_EQ(text_of((s0 + 2) * s1), "(s0 + 2)*s1");
  EXPECT_EQ(text_of(s0 - (s1 - 1)), "s0 - (s1 - 1)");
  EXPECT_EQ(text_of(s0 * s1 / 2), "s0*s1//2");
  EXPECT_EQ(text_of(2 * s0 % s1), "2*s0 % s1");
  EXPECT_EQ(text_of(sym_max(s0, 5)), "max(s0, 5)");
  EXPECT_EQ(text_of(s0 * 1 + 0), "s0");
  EXPECT_EQ(((s0 + 2) * s1).specialise(), 18);
}

TEST(SymInt, LeavesNoNodeBehind) {
  TestOwner owner;
  {
    SymInt s0 = owner.backed("s0", 4);
    SymInt sum = s0 + 1;
    const SymInt copy = sum;
    sum = sum * s0;
    s0 = std::move(sum);
    const SymInt taken = SymInt::take(s0.give());
    EXPECT_TRUE(guard_or_false(taken > copy));
    EXPECT_GT(owner.live_nodes(), 0);
  }
  EXPECT_EQ(owner.live_nodes(), 0);
}

TEST(SymInt, RecordsTheLineThatFixesASymbol) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 4);
  EXPECT_EQ(s0.specialise(), 4);
  ASSERT_EQ(owner.specialisations.size(), 1u);
  EXPECT_EQ(owner.specialisations[0].text, "s0");
  EXPECT_EQ(owner.specialisations[0].file, "tests/symbolic/symint_test.cpp");
  EXPECT_EQ(owner.specialisations[0].line, static_cast<uint32_t>(__LINE__ - 4));
}

TEST(SymInt, RefusesToFixASizeThatIsNotKnownYet) {
  TestOwner owner;
  const SymInt u0 = owner.unbacked("u0");
  EXPECT_ERROR_CONTAINS(u0.specialise(), "RuntimeError",
                        "cannot fix u0 at tests/symbolic/symint_test.cpp:");
}

TEST(SymInt, PassesOnAnErrorOfTheOwnersArithmetic) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 4);
  EXPECT_ERROR(s0 % SymInt(0), "ZeroDivisionError", "division of a size by zero");
}

TEST(SymBool, RecordsAGuardWithTheLineOfTheComparison) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 4);
  const SymBool condition = s0 == 1;
  const uint32_t line = __LINE__ - 1;
  EXPECT_TRUE(owner.guards.empty());

  if (condition) FAIL();
  ASSERT_EQ(owner.guards.size(), 1u);
  EXPECT_EQ(owner.guards[0].text, "s0 == 1");
  EXPECT_FALSE(owner.guards[0].decision);
  EXPECT_EQ(owner.guards[0].file, "tests/symbolic/symint_test.cpp");
  EXPECT_EQ(owner.guards[0].line, line);
}

TEST(SymBool, RecordsEveryComparison) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 4);
  EXPECT_TRUE(s0 != 1 && s0 < 5 && s0 <= 4 && s0 > 3 && s0 >= 4);
  EXPECT_TRUE(1 < s0);
  EXPECT_EQ(owner.guards.size(), 6u);
  EXPECT_EQ(owner.guards[5].text, "1 < s0");
}

TEST(SymBool, NeedsNoGuardForPlainIntsOrASymbolAndItself) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 4);
  EXPECT_TRUE(s0 == s0);
  EXPECT_TRUE(SymInt(3) == 3);
  EXPECT_TRUE(owner.guards.empty());
}

TEST(SymBool, JoinsConditionsIntoOneGuard) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 4);
  EXPECT_TRUE(sym_and(s0 > 1, sym_not(s0 == 7)));
  EXPECT_TRUE(sym_or(s0 > 9, s0 == 4));
  ASSERT_EQ(owner.guards.size(), 2u);
  EXPECT_EQ(owner.guards[0].text, "s0 > 1 and not(s0 == 7)");
  EXPECT_EQ(owner.guards[1].text, "s0 > 9 or s0 == 4");
}

TEST(SymBool, RefusesToDecideWhatIsKnownOnlyAtRunTime) {
  TestOwner owner;
  const SymInt u0 = owner.unbacked("u0");
  const auto decide = [&] { return static_cast<bool>(u0 == 1); };
  const std::string line = std::to_string(__LINE__ - 1);
  EXPECT_ERROR(decide(), "RuntimeError",
               "cannot decide u0 == 1 at tests/symbolic/symint_test.cpp:" + line +
                   ": the size is known only at run time; use check() or guard_or_false()");
}

TEST(SymBool, CountsTheUnknownAsAsked) {
  TestOwner owner;
  const SymInt u0 = owner.unbacked("u0");
  EXPECT_FALSE(guard_or_false(u0 == 1));
  EXPECT_TRUE(guard_or_true(u0 == 1));
  EXPECT_TRUE(owner.guards.empty());
}

TEST(Check, ThrowsForPlainIntsAndKnownSymbols) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 4);
  EXPECT_ERROR(check(SymInt(1) == 2, "sizes differ"), "ValueError", "sizes differ");
  EXPECT_ERROR(check(s0 == 2, "s0 must be 2"), "ValueError", "s0 must be 2");
  EXPECT_NO_THROW(check(SymInt(2) == 2, "never"));
}

TEST(Check, RecordsAGuardWhenASymbolFulfilsIt) {
  TestOwner owner;
  const SymInt s0 = owner.backed("s0", 4);
  check(s0 == 4, "s0 must be 4");
  ASSERT_EQ(owner.guards.size(), 1u);
  EXPECT_EQ(owner.guards[0].text, "s0 == 4");
  EXPECT_TRUE(owner.guards[0].decision);
}

TEST(Check, BecomesARunTimeAssertionForASizeKnownLater) {
  TestOwner owner;
  const SymInt u0 = owner.unbacked("u0");
  check(u0 == 4, "u0 must be 4");
  ASSERT_EQ(owner.assertions.size(), 1u);
  EXPECT_EQ(owner.assertions[0].text, "u0 == 4");
  EXPECT_EQ(owner.assertions[0].message, "u0 must be 4");
  EXPECT_EQ(owner.assertions[0].file, "tests/symbolic/symint_test.cpp");
  EXPECT_EQ(owner.assertions[0].line, static_cast<uint32_t>(__LINE__ - 5));
}

}  // namespace
}  // namespace opwright
