// Canonical forms: text in, text out.
//
// Covers: src/symbolic/expression/*.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"
#include "symbolic/shape_env_text.h"

namespace opwright {
namespace {

using testing::TextEnv;

// Backed s0, s1, s2 of at least 2, and unbacked u0 and u1 of at least 0.
class Expressions : public ::testing::Test {
 protected:
  Expressions() {
    for (const int64_t hint : {12, 24, 5}) s_[n_++] = env_.env->make_size(hint, "x");
    for (int i = 0; i < 2; ++i) u_[i] = env_.env->make_unbacked();
  }
  [[nodiscard]] std::string form(const std::string& text) const { return env_.form(text); }

  TextEnv env_;
  SymInt s_[3];
  SymInt u_[2];
  int n_ = 0;
};

TEST_F(Expressions, AreSortedSumsOfProducts) {
  EXPECT_EQ(form("1 + s1*2 + s0"), "s0 + 2*s1 + 1");
  EXPECT_EQ(form("s1*s0 + s0*s1"), "2*s0*s1");
  EXPECT_EQ(form("(s0 + 1)*(s0 - 1)"), "s0*s0 - 1");
  EXPECT_EQ(form("s0 - s0"), "0");
  EXPECT_EQ(form("s1 - s0"), "s1 - s0");
  EXPECT_EQ(form("3 - s0"), "3 - s0");
  EXPECT_EQ(form("-s0 - 3"), "-s0 - 3");
}

TEST_F(Expressions, ThatAreEqualAreTheSameWord) {
  EXPECT_EQ(((s_[0] + 1) * 2).word(), (s_[0] * 2 + 2).word());
  EXPECT_EQ((s_[0] * s_[1] - s_[1] * s_[0]).word(), 0);
  EXPECT_EQ((s_[0] == s_[1]).value().word(), (s_[1] - s_[0] == 0).value().word());
  EXPECT_EQ(sym_max(s_[0], s_[1]).word(), sym_max(s_[1], sym_max(s_[0], s_[1])).word());
}

TEST_F(Expressions, DivideByConstantsAsFarAsItGoes) {
  EXPECT_EQ(form("(4*s0)//2"), "2*s0");
  EXPECT_EQ(form("(2*s0 + 1)//2"), "s0");
  EXPECT_EQ(form("(4*s0 + 3)//6"), "(2*s0 + 1)//3");
  EXPECT_EQ(form("(s0//2)//3"), "s0//6");
  EXPECT_EQ(form("(s0 - 1)//2 + 1"), "(s0 + 1)//2");
  EXPECT_EQ(form("s0//-2"), "s0//2 - s0");
  EXPECT_EQ(form("-(-s0//3)"), "s0 - (2*s0)//3");
  EXPECT_EQ(form("s0//1"), "s0");
}

TEST_F(Expressions, TakeTheRemainderWithTheSignOfTheDivisor) {
  EXPECT_EQ(form("(4*s0 + 3) % 2"), "1");
  EXPECT_EQ(form("(5*s0 - 1) % 4"), "(s0 + 3) % 4");
  EXPECT_EQ(form("(2*s0) % 4"), "2*(s0 % 2)");
  EXPECT_EQ(form("(s0 % 6) % 3"), "s0 % 3");
  EXPECT_EQ(form("s0 % -3"), "-((2*s0) % 3)");
}

TEST_F(Expressions, CancelADivisorThatIsNotZero) {
  EXPECT_EQ(concatenate(s_[0] * s_[1] / s_[0]), "s1");
  EXPECT_EQ(concatenate((s_[0] * s_[1] + 1) / s_[0]), "s1");
  EXPECT_EQ(concatenate((s_[0] * s_[1]) / (s_[0] * s_[2])), "s1//s2");
  EXPECT_EQ(concatenate((s_[0] * s_[1] + s_[1]) / (s_[0] + 1)), "s1");
  EXPECT_EQ(concatenate((s_[0] * s_[1]) % s_[0]), "0");
  EXPECT_EQ(concatenate((u_[0] * s_[1]) / u_[0]), "(s1*u0)//u0");
  EXPECT_EQ(concatenate((u_[0] * s_[1]) % u_[0]), "(s1*u0) % u0");
}

TEST_F(Expressions, DropOperandsOfAMaximumThatOthersCover) {
  EXPECT_EQ(concatenate(sym_max(s_[0], 1)), "s0");
  EXPECT_EQ(concatenate(sym_max(u_[0], 1)), "max(u0, 1)");
  EXPECT_EQ(concatenate(sym_max(sym_max(u_[0], 1), u_[0] + 1)), "u0 + 1");
  EXPECT_EQ(concatenate(sym_min(sym_min(s_[1], s_[0]), 7)), "min(s0, s1, 7)");
  EXPECT_EQ(concatenate(sym_min(s_[0], 1)), "1");
}

TEST_F(Expressions, CompareAsAReaderWouldWriteIt) {
  EXPECT_EQ(form("2*s1 == s0"), "s0 == 2*s1");
  EXPECT_EQ(form("s0 - 8 <= 0"), "s0 <= 8");
  EXPECT_EQ(form("0 <= s0 - 2"), "s0 >= 2");
  EXPECT_EQ(form("s1 > s0"), "s0 < s1");
  EXPECT_EQ(form("s1 + 1 == s0"), "s0 == s1 + 1");
  EXPECT_EQ(form("s0 + 1 != s1"), "s1 != s0 + 1");
  EXPECT_EQ(form("2*s0 + 4*s1 <= 7"), "s0 + 2*s1 <= 3");
  EXPECT_EQ(form("2*s0 == 5"), "0");
  EXPECT_EQ(form("s0 % 2 == 0"), "s0 % 2 == 0");
  EXPECT_EQ(form("5 <= s0 + s1"), "s0 + s1 >= 5");
}

TEST_F(Expressions, PushNegationInwards) {
  EXPECT_EQ(form("not s0 <= 8"), "s0 >= 9");
  EXPECT_EQ(form("not (s0 == 1 or s1 < s0)"), "s0 != 1 and s0 <= s1");
  EXPECT_EQ(form("s0 == 1 and not s0 == 1"), "0");
  EXPECT_EQ(form("s0 == 1 or s0 != 1"), "1");
  EXPECT_EQ(form("not s0"), "s0 == 0");
  EXPECT_EQ(form("(s0 == 3) == 1"), "s0 == 3");
  EXPECT_EQ(form("(s0 == 3) + 1"), "(s0 == 3) + 1");
}

TEST_F(Expressions, ReadBackAsTheSameWord) {
  for (const char* text :
       {"s0 + 2*s1 - 3", "-(s0//2) - 5", "2*s1*(s0 % 3)", "max(s0, s1, 4)//(u0 + 1)",
        "s0 < s1 and (u0 == 2 or s2 >= 4)", "u0 + (s0 == 3)", "-(s0 % 2)", "5 - s0*s0*s1",
        "s0*(s1//2)*(u0 % 7)", "min(max(s0, u0), 9)", "u0 == (s0 == 1 and s1 == 1)"}) {
    const SymInt read = env_.env->parse(text);
    EXPECT_EQ(env_.env->parse(concatenate(read)).word(), read.word()) << text;
    EXPECT_EQ(concatenate(read), text);
  }
}

TEST_F(Expressions, OfLargeNumbersReadBackToo) {
  const SymInt large = s_[0] * (int64_t{1} << 61) * -3;
  EXPECT_EQ(concatenate(large), "0 - 6917529027641081856*s0");
  EXPECT_EQ(env_.env->parse(concatenate(large)).word(), large.word());
}

TEST_F(Expressions, RefuseACoefficientThatLeaves64Bits) {
  const SymInt large = s_[0] * (int64_t{1} << 62);
  EXPECT_ERROR(large * 2, "OverflowError", "a symbolic int has a coefficient that leaves 64 bits");
  EXPECT_ERROR(large + large, "OverflowError",
               "a symbolic int has a coefficient that leaves 64 bits");
}

TEST_F(Expressions, RefuseDivisionByZero) {
  EXPECT_ERROR(s_[0] / 0, "ZeroDivisionError", "division of a size by zero");
  EXPECT_ERROR(s_[0] % 0, "ZeroDivisionError", "a size modulo zero");
  TextEnv other({.duck_shaping = true, .specialises_zero_one = false});
  const SymInt zero = other.env->make_size(0, "x");
  EXPECT_ERROR(SymInt(4) / (zero * 2), "ZeroDivisionError",
               "division of a size by zero: 2*s0 is 0 in this run");
}

TEST_F(Expressions, RefuseSizesThatNobodyMeans) {
  const auto nest = [&] {
    SymInt deep = u_[0];
    for (int i = 0; i < 300; ++i) deep = (deep * 2 + 1) / s_[0] % 7;
  };
  const auto square = [&] {
    SymInt wide = u_[0] + u_[1] + s_[0] + s_[1] + s_[2] + 1;
    for (int i = 0; i < 8; ++i) wide = wide * wide;
  };
  EXPECT_ERROR(nest(), "OverflowError", "a symbolic int is nested more than 200 operations deep");
  EXPECT_ERROR(square(), "OverflowError",
               "a symbolic int has more than 2000 terms when it is multiplied out");
}

TEST_F(Expressions, OfTwoEnvironmentsDoNotMix) {
  TextEnv other;
  const SymInt stranger = other.env->make_size(9, "y");
  EXPECT_ERROR(s_[0] + stranger, "ValueError",
               "symbolic ints of two environments in one expression: s0 and s0");
  EXPECT_ERROR(env_.env->decide(stranger), "ValueError",
               "s0 is a symbolic int of another environment");
}

TEST_F(Expressions, ShowTheTokenThatCannotBeRead) {
  EXPECT_ERROR(env_.env->parse("s0 + s7"), "ValueError",
               "symbolic int: there is no symbol 's7' at column 6\n"
               "    s0 + s7\n"
               "         ^^");
  EXPECT_ERROR(env_.env->parse("s0 * (s1"), "ValueError",
               "symbolic int: expected ')' at column 9\n"
               "    s0 * (s1\n"
               "            ^");
  EXPECT_ERROR(env_.env->parse("s0 ? 1"), "ValueError",
               "symbolic int: unexpected character at column 4\n"
               "    s0 ? 1\n"
               "       ^");
  EXPECT_ERROR(env_.env->parse("1 < s0 < 3"), "ValueError",
               "symbolic int: a second comparison; join two with 'and' at column 8\n"
               "    1 < s0 < 3\n"
               "           ^");
  EXPECT_ERROR(env_.env->parse("s0 // 0"), "ValueError",
               "symbolic int: division of a size by zero at column 4\n"
               "    s0 // 0\n"
               "       ^^");
  EXPECT_ERROR(env_.env->parse("99999999999999999999"), "ValueError",
               "symbolic int: the number needs more than 64 bits at column 1\n"
               "    99999999999999999999\n"
               "    ^^^^^^^^^^^^^^^^^^^^");
}

TEST_F(Expressions, ThatNestTooDeeplyAreRefused) {
  const std::string text = std::string(5000, '(') + "s0" + std::string(5000, ')');
  EXPECT_ERROR_CONTAINS(env_.env->parse(text), "ValueError", "nested more than 1000 levels deep");
  EXPECT_ERROR_CONTAINS(env_.env->parse(std::string(100000, '-')), "ValueError",
                        "nested more than 1000 levels deep");
}

}  // namespace
}  // namespace opwright
