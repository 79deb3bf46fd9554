// Covers: src/symbolic/shape_env/*.
#include "opwright/symbolic/shape_env/shape_env.h"

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/base/source_site.h"
#include "opwright/base/user_line.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "symbolic/shape_env_text.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::TextEnv;

// "s0 in 2 to 8; s1 in 4 to inf = 2*s0 | s0 % 3 == 0"
std::string solution_of(const TextEnv& env) {
  const ShapeEnv::Solution solution = env.env->solve();
  std::string text;
  for (const Symbol& symbol : solution.symbols) {
    const std::string between = text.empty() ? "" : "; ";
    text.append(concatenate(between, symbol.name, " in ", env.range(symbol.name)));
    if (symbol.equals) text.append(concatenate(" = ", *symbol.equals));
  }
  for (const Guard& guard : solution.rest) text.append(concatenate(" | ", guard.condition));
  return text;
}

// ---- Symbols ----

TEST(ShapeEnv, GivesEqualSizesOneSymbolAndKeepsZeroAndOne) {
  TextEnv env;
  EXPECT_EQ(concatenate(env.env->make_size(5, "x.size(0)")), "s0");
  EXPECT_EQ(concatenate(env.env->make_size(7, "x.size(1)")), "s1");
  EXPECT_EQ(concatenate(env.env->make_size(5, "y.size(0)")), "s0");
  EXPECT_EQ(concatenate(env.env->make_size(1, "y.size(1)")), "1");
  EXPECT_EQ(concatenate(env.env->make_size(0, "y.size(2)")), "0");
  EXPECT_EQ(env.range("s0"), "2 to inf");
}

TEST(ShapeEnv, GivesEverySizeItsSymbolWhenToldSo) {
  TextEnv env({.duck_shaping = false, .specialises_zero_one = false});
  EXPECT_EQ(concatenate(env.env->make_size(1, "x.size(0)")), "s0");
  EXPECT_EQ(concatenate(env.env->make_size(1, "x.size(1)")), "s1");
  EXPECT_EQ(env.range("s0"), "0 to inf");
}

TEST(ShapeEnv, RefusesAHintOutsideOfItsRange) {
  TextEnv env;
  EXPECT_ERROR(env.env->make_backed(5, {6, 9}, "x"), "ValueError",
               "symbol s0: 5 is outside of its range [6, 9]");
  EXPECT_ERROR(env.env->make_unbacked({6, 5}), "ValueError",
               "symbol u0: the range [6, 5] is empty");
  EXPECT_ERROR(env.env->make_size(-1, "x.size(0)"), "ValueError",
               "a size is not negative, got -1 for x.size(0)");
}

TEST(ShapeEnv, TellsOfItsSymbols) {
  TextEnv env;
  const SymInt made[] = {env.env->make_size(5, "x.size(0)"), env.env->make_unbacked({0, 9})};
  env.learn("s0 <= 8").learn("u0 == s0 - 1");

  const std::vector<Symbol> symbols = env.env->symbols();

  ASSERT_EQ(symbols.size(), 2U);
  EXPECT_EQ(symbols[0].name, "s0");
  EXPECT_EQ(symbols[0].hint, 5);
  EXPECT_EQ(symbols[0].source, "x.size(0)");
  EXPECT_EQ(symbols[0].range, (SymRange{2, 8}));
  EXPECT_FALSE(symbols[0].equals);
  EXPECT_EQ(symbols[1].hint, std::nullopt);
  EXPECT_EQ(symbols[1].range, (SymRange{1, 7}));
  EXPECT_EQ(concatenate(symbols[1].equals.value()), "s0 - 1");
  EXPECT_EQ(env.env->free_symbols(made[1] * made[0]), (std::vector<std::string>{"s0", "u0"}));
  EXPECT_EQ(env.env->symbol("u0").word(), made[1].word());
  EXPECT_ERROR(env.env->symbol("s9"), "KeyError", "there is no symbol 's9'");
}

TEST(ShapeEnv, DeclaresSymbolsThatWereWritten) {
  TextEnv env;
  env.env->declare({"s3", 6, {2, 64}, "x.size(0)", {}, {}});
  env.env->declare({"b", std::nullopt, {0, 100}, "", {}, env.env->parse("s3 + 1")});

  EXPECT_EQ(env.simplify("2*b"), "2*s3 + 2");
  EXPECT_EQ(concatenate(env.env->make_backed(7, {}, "y")), "s0");
  EXPECT_ERROR(env.env->declare({"b", 1, {}, "", {}, {}}), "ValueError",
               "symbol: there is already one named b");
  EXPECT_ERROR(env.env->declare({"2b", 1, {}, "", {}, {}}), "ValueError",
               "symbol: '2b' is not a valid name");
  EXPECT_ERROR(env.env->declare({"max", 1, {}, "", {}, {}}), "ValueError",
               "symbol: 'max' is not a valid name");
}

// ---- Backed symbols ----

TEST(Guards, AreRecordedWithTheLineThatAskedAndTheUsersLine) {
  TextEnv env;
  const SymInt size = env.env->make_size(5, "x.size(0)");
  const UserLineScope scope({"model.py", 12});

  EXPECT_TRUE(env.guard("s0 <= 8"));
  EXPECT_FALSE(env.guard("s0 == 4"));

  EXPECT_EQ(env.guards(), "s0 <= 8; s0 != 4");
  EXPECT_EQ(env.env->guards()[0].asked.text(), "kernel.cpp:7");
  EXPECT_EQ(env.env->guards()[0].user.text(), "model.py:12");
}

TEST(Guards, ThatFollowAreNotRecorded) {
  TextEnv env;
  const SymInt sizes[] = {env.env->make_size(5, "x"), env.env->make_size(9, "y")};

  EXPECT_FALSE(env.guard("s0 == 1"));
  EXPECT_TRUE(env.guard("s0 < s1"));
  EXPECT_TRUE(env.guard("s0 <= s1"));
  EXPECT_FALSE(env.guard("s0 == s1"));
  EXPECT_TRUE(env.guard("s0*s1 >= 2*s0"));

  EXPECT_EQ(env.guards(), "s0 < s1");
}

TEST(Guards, UseTheHintForGuardOrFalse) {
  TextEnv env;
  const SymInt size = env.env->make_size(5, "x");
  EXPECT_TRUE(env.guard("s0 == 5", kOpwUnknownIsFalse));
  EXPECT_EQ(env.guards(), "s0 == 5");
  EXPECT_EQ(env.simplify("s0 + 1"), "6");
}

TEST(Guards, OfASymIntCarryTheLineOfTheComparison) {
  TextEnv env;
  const SymInt size = env.env->make_size(5, "x");
  const bool is_large = size > 3;
  const uint32_t line = __LINE__ - 1;

  EXPECT_TRUE(is_large);
  EXPECT_EQ(env.guards(), "s0 >= 4");
  EXPECT_EQ(env.env->guards()[0].asked.line, line);
}

TEST(Guards, OfASpecialisedSizeFixIt) {
  TextEnv env;
  const SymInt size = env.env->make_size(5, "x");
  EXPECT_EQ((size * 2).specialise(), 10);
  EXPECT_EQ(env.guards(), "s0 == 5");
  EXPECT_EQ((size + 1).specialise(), 6);
  EXPECT_EQ(env.env->guards().size(), 1U);
}

TEST(Guards, FromACheckRaiseTheMessageWhenTheyFail) {
  TextEnv env;
  const SymInt size = env.env->make_size(5, "x");
  env.check("s0 <= 8", "at most 8");
  EXPECT_EQ(env.guards(), "s0 <= 8");
  EXPECT_ERROR(env.check("s0 == 4", "must be 4"), "ValueError", "must be 4");
  EXPECT_ERROR(env.check("s0 > 8", "must be more"), "ValueError", "must be more");
  EXPECT_EQ(env.guards(), "s0 <= 8");
}

TEST(Guards, SolveIntoRangesDerivedSymbolsAndTheRest) {
  TextEnv env({.duck_shaping = false, .specialises_zero_one = true});
  SymSizes sizes;
  for (const int64_t hint : {6, 12, 7, 30}) sizes.push_back(env.env->make_size(hint, "x"));
  for (const char* condition :
       {"s0 <= 8", "s0 <= 9", "s1 == 2*s0", "s2 == s0 + 1", "s3 % 3 == 0", "s3 > s1", "s3 >= s0"}) {
    EXPECT_TRUE(env.guard(condition));
  }
  EXPECT_EQ(solution_of(env),
            "s0 in 2 to 8; s1 in 4 to 16 = 2*s0; s2 in 3 to 9 = s0 + 1; s3 in 6 to inf | "
            "s3 % 3 == 0 | s1 < s3");
}

// ---- Unbacked symbols ----

TEST(UnbackedSizes, RefuseAQuestionWithTheWaysOut) {
  TextEnv env;
  const UserLineScope made({"model.py", 5});
  const SymInt size = env.env->make_unbacked();
  const UserLineScope asked({"model.py", 8});
  EXPECT_ERROR(
      env.guard("u0 == 1"), "DataDependentError",
      "cannot decide u0 == 1 at kernel.cpp:7: u0 in [0, inf] (made at model.py:5) is known only "
      "when the program runs; required by model.py:8.\n"
      "  Bound it with opwright.check_size(n, min=, max=), require what you rely on with "
      "opwright.check(condition, message), or do without the answer: opwright.sym_max(a, b), "
      "opwright.guard_or_false(condition).");
  EXPECT_ERROR_CONTAINS(static_cast<void>(env.env->specialise(size.word(), "kernel.cpp", 3)),
                        "DataDependentError", "cannot fix u0 at kernel.cpp:3: u0 in [0, inf]");
  EXPECT_EQ(env.guards(), "");
}

TEST(UnbackedSizes, AnswerAsToldWhereItIsUnknown) {
  TextEnv env;
  const SymInt size = env.env->make_unbacked();
  EXPECT_FALSE(env.guard("u0 == 1", kOpwUnknownIsFalse));
  EXPECT_TRUE(env.guard("u0 == 1", kOpwUnknownIsTrue));
  EXPECT_FALSE(env.guard("u0 == -1", kOpwUnknownIsTrue));
  EXPECT_EQ(env.guards(), "");
}

TEST(UnbackedSizes, AreBoundByChecksThatWaitForRunTime) {
  TextEnv env;
  const SymInt size = env.env->make_unbacked();
  env.check("u0 >= 2", "too small");
  env.check("u0 <= 10", "too large");
  env.check("u0 >= 1", "follows");

  EXPECT_EQ(env.asserts(), "u0 >= 2; u0 <= 10");
  EXPECT_EQ(env.env->runtime_asserts()[0].message, "too small");
  EXPECT_EQ(env.env->runtime_asserts()[0].asked.text(), "kernel.cpp:9");
  EXPECT_EQ(env.range("u0"), "2 to 10");
  EXPECT_FALSE(env.guard("u0 == 1"));
  EXPECT_EQ(env.simplify("max(u0, 1)"), "u0");
  EXPECT_ERROR(env.check("u0 > 10", "far too large"), "ValueError", "far too large");
}

TEST(UnbackedSizes, CannotDemandWhatThisRunDoesNotHave) {
  TextEnv env;
  const SymInt sizes[] = {env.env->make_size(5, "x"), env.env->make_unbacked({0, 3})};
  EXPECT_ERROR(env.check("u0 >= s0", "too few"), "ValueError", "too few");
  EXPECT_EQ(env.asserts(), "");
  EXPECT_EQ(env.range("s0"), "2 to inf");
}

// ---- Reading what was written ----

TEST(ShapeEnv, TakesGuardsAndAssertionsThatWereWritten) {
  TextEnv env;
  env.env->declare({"s0", 6, {2, INT64_MAX}, "", {}, {}});
  env.env->declare({"u0", std::nullopt, {0, INT64_MAX}, "", {}, {}});
  env.env->add_guard({env.env->parse("s0 % 2 == 0"), {"a.cpp", 1}, {"b.py", 2}});
  env.env->add_runtime_assert({env.env->parse("u0 <= s0"), "too many", {"a.cpp", 3}, {}});

  EXPECT_EQ(env.guards(), "s0 % 2 == 0");
  EXPECT_EQ(env.asserts(), "u0 <= s0");
  EXPECT_EQ(env.decide("u0 > s0"), "false");
  EXPECT_ERROR(env.env->add_guard({env.env->parse("s0 == 7"), {}, {}}), "ValueError",
               "s0 == 7 contradicts what is known of its symbols");
}

// ---- Lifetime ----

TEST(ShapeEnv, LivesAsLongAsItsSymInts) {
  SymInt sum;
  {
    const ShapeEnvPtr env = make_intrusive<ShapeEnv>();
    sum = env->make_size(5, "x") + 1;
    EXPECT_TRUE(sum < 10);
  }
  EXPECT_EQ(concatenate(sum * 2), "2*s0 + 2");
  EXPECT_EQ(shape_env_of(sum)->guards().size(), 1U);
}

TEST(ShapeEnv, CountsFromAnyThread) {
  const ShapeEnvPtr env = make_intrusive<ShapeEnv>();
  const SymInt sum = env->make_size(5, "x") + 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&sum] {
      for (int j = 0; j < 1000; ++j) const SymInt copy = sum;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(concatenate(sum), "s0 + 1");
}

TEST(ShapeEnv, IsThatOfItsOwnSymbolsOnly) {
  testing::TestOwner owner;
  const ShapeEnvPtr env = make_intrusive<ShapeEnv>();
  EXPECT_EQ(shape_env_of(env->make_size(5, "x")), env.get());
  EXPECT_EQ(shape_env_of(owner.backed("s0", 5)), nullptr);
  EXPECT_EQ(shape_env_of(5), nullptr);
}

TEST(ShapeEnv, ServesTheArithmeticOfSizes) {
  TextEnv env;
  const SymSizes sizes = {env.env->make_size(5, "x"), env.env->make_size(6, "x"), 4};
  const SymSizes strides = contiguous_strides(sizes);
  EXPECT_EQ(to_text(strides), "[4*s1, 4, 1]");
  EXPECT_TRUE(is_contiguous(sizes, strides, MemoryFormat::Contiguous));
  EXPECT_EQ(to_text(broadcast_sizes(sizes, SymSizes{1, 4}, "add")), "[s0, s1, 4]");
  EXPECT_EQ(to_text(infer_size(SymSizes{-1, 2}, product(sizes), "view")), "[2*s0*s1, 2]");
  EXPECT_EQ(env.guards(), "");
}

}  // namespace
}  // namespace opwright
