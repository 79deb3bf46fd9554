// Consequences of facts: decisions, ranges, simplified expressions.
//
// Covers: src/symbolic/facts/*.
#include <cstdint>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "symbolic/shape_env_text.h"

namespace opwright {
namespace {

using testing::TextEnv;

// Symbols s0 = 12, s1 = 24, s2 = 48 of at least 0, and u0 of at least 0.
TextEnv make_env() {
  TextEnv env;
  for (const int64_t hint : {12, 24, 48}) {
    static_cast<void>(env.env->make_backed(hint, {0, INT64_MAX}, "x"));
  }
  static_cast<void>(env.env->make_unbacked());
  return env;
}

TEST(Facts, NarrowRanges) {
  TextEnv env = make_env();
  env.learn("s0 >= 3").learn("2*s0 <= 41").learn("u0 != 0");
  EXPECT_EQ(env.range("s0"), "3 to 20");
  EXPECT_EQ(env.range("2*s0 + 1"), "7 to 41");
  EXPECT_EQ(env.range("s0//4"), "0 to 5");
  EXPECT_EQ(env.range("s0 % 4"), "0 to 3");
  EXPECT_EQ(env.range("u0"), "1 to inf");
  EXPECT_EQ(env.range("max(u0, s0) - s0"), "0 to inf");
}

TEST(Facts, ChainInequalities) {
  TextEnv env = make_env();
  env.learn("s0 <= s1").learn("s1 <= s2").learn("s2 <= 64");
  EXPECT_EQ(env.decide("s0 <= s2"), "true");
  EXPECT_EQ(env.decide("s0 > s2"), "false");
  EXPECT_EQ(env.decide("s0 < s2"), "unknown");
  EXPECT_EQ(env.decide("s0//2 <= s1//2"), "true");
  EXPECT_EQ(env.decide("s0*u0 <= s1*u0"), "true");
  EXPECT_EQ(env.decide("max(s0, s1) == s1"), "true");
  EXPECT_EQ(env.range("s0"), "0 to 64");
  EXPECT_EQ(env.simplify("max(s0, s1, s2)"), "s2");
}

TEST(Facts, PutEqualitiesIn) {
  TextEnv env = make_env();
  env.learn("s1 == 2*s0").learn("u0 == s1");
  EXPECT_EQ(env.simplify("s1 + u0"), "4*s0");
  EXPECT_EQ(env.decide("s1 % 2 == 0"), "true");
  EXPECT_EQ(env.decide("u0 == 2*s0"), "true");
  EXPECT_EQ(env.decide("s1 == s0 + 1"), "unknown");
  EXPECT_EQ(env.simplify("(s0*s1)//2"), "s0*s0");
}

TEST(Facts, SolveEqualitiesInIntegers) {
  TextEnv env = make_env();
  env.learn("2*s0 == s1").learn("3*s1 == 2*u0");
  EXPECT_EQ(env.decide("u0 % 3 == 0"), "true");
  EXPECT_EQ(env.decide("u0 == 3*s0"), "true");
  env.learn("2*s2 == 3*s0 + 60");
  EXPECT_EQ(env.decide("s0 % 2 == 0"), "true");
  EXPECT_EQ(env.decide("s2 % 3 == 0"), "true");
}

TEST(Facts, KnowMultiples) {
  TextEnv env = make_env();
  env.learn("s1 % 8 == 0");
  EXPECT_EQ(env.simplify("(s1//8)*8"), "s1");
  EXPECT_EQ(env.simplify("(s0*s1)//4"), "s0*(s1//4)");
  EXPECT_EQ(env.simplify("(s1//2)*2 + s1 % 4"), "s1");
  EXPECT_EQ(env.decide("(s0*s1) % 8 == 0"), "true");
  EXPECT_EQ(env.decide("s1//8*s0 == s0*s1//8"), "true");
  EXPECT_EQ(env.decide("s1 % 16 == 0"), "unknown");
  EXPECT_EQ(env.decide("s1 == 7"), "false");
  env.learn("s1 % 3 == 0");
  EXPECT_EQ(env.decide("s1 % 24 == 0"), "true");
}

TEST(Facts, KnowMultiplesOfOtherSizes) {
  TextEnv env = make_env();
  env.learn("s0 >= 1").learn("s2 % s0 == 0");
  EXPECT_EQ(env.simplify("(s2//s0)*s0"), "s2");
  EXPECT_EQ(env.decide("(s2//s0)*s0*s1 == s2*s1"), "true");
}

TEST(Facts, TellSignsOfProducts) {
  TextEnv env = make_env();
  env.learn("s1 >= 1");
  EXPECT_EQ(env.decide("s0*s1 >= s0"), "true");
  EXPECT_EQ(env.decide("s0*s1 >= s1"), "unknown");
  EXPECT_EQ(env.decide("s0*s1*s1 >= s0*s1"), "true");
  env.learn("s0*s1 <= 300");
  EXPECT_EQ(env.range("s0"), "0 to 300");
}

TEST(Facts, TryAlternatives) {
  TextEnv env = make_env();
  env.learn("s0 == 12 or s0 == s1");
  EXPECT_EQ(env.decide("s0 >= min(12, s1)"), "true");
  env.learn("s1 >= 13");
  EXPECT_EQ(env.decide("s0 >= 12"), "true");
  EXPECT_EQ(env.decide("max(s0, s1) + min(s0, s1) == s0 + s1"), "true");
}

TEST(Facts, DivideByProductsThatAreNotZero) {
  TextEnv env = make_env();
  env.learn("s0 >= 1").learn("s1 >= 2");
  EXPECT_EQ(env.simplify("(32*s0*(s1 - 1))//(8*s0*(s1 - 1))"), "4");
  EXPECT_EQ(env.simplify("(32*s0*(s1 - 1)) % (8*s0*(s1 - 1))"), "0");
  EXPECT_EQ(env.decide("(s2*s0*(s1 - 1))//(s0*(s1 - 1)) == s2"), "true");
}

TEST(Facts, MakeNoClaimWhereAFactorOfADivisorMayBeZero) {
  TextEnv env = make_env();
  env.learn("s0 >= 1");
  EXPECT_EQ(env.simplify("(32*s0*(s1 - 1))//(8*s0*(s1 - 1))"),
            "(32*s0*s1 - 32*s0)//(8*s0*s1 - 8*s0)");
}

TEST(Facts, MakeNoClaimWhereADivisorMayBeZero) {
  const TextEnv env = make_env();
  EXPECT_EQ(env.simplify("(s0*s1)//s0"), "(s0*s1)//s0");
  EXPECT_EQ(env.simplify("s0 % s0"), "s0 % s0");
  EXPECT_EQ(env.simplify("0//s0"), "0//s0");
}

TEST(Facts, ThatContradictAreRefusedAndForgotten) {
  TextEnv env = make_env();
  env.learn("u0 <= 5").learn("u0 >= s0 - 8");
  EXPECT_ERROR(env.learn("u0 == 6"), "ValueError",
               "u0 == 6 contradicts what is known of its symbols");
  EXPECT_ERROR(env.learn("s0 + u0 == 11"), "ValueError",
               "s0 + u0 == 11 contradicts what is known of its symbols");
  EXPECT_ERROR(env.learn("s0 == 13"), "ValueError",
               "s0 == 13 contradicts what is known of its symbols");
  EXPECT_EQ(env.decide("s0 == 13"), "unknown");
  EXPECT_EQ(env.range("u0"), "0 to 5");
}

TEST(Facts, OfAConvolutionDecideItsSizes) {
  TextEnv env = make_env();
  env.learn("s0 >= 3");
  EXPECT_EQ(env.decide("(s0 + 2 - 3)//2 + 1 >= 1"), "true");
  EXPECT_EQ(env.decide("(s0 + 2 - 3)//2 + 1 <= s0"), "true");
  EXPECT_EQ(env.decide("((s0 - 3)//2)*2 + 3 <= s0"), "true");
  EXPECT_EQ(env.simplify("max((s0 - 3)//2 + 1, 0)"), "(s0 + 1)//2 - 1");
}

}  // namespace
}  // namespace opwright
