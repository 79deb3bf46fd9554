#include "opwright/symbolic/shape_env/layout_questions.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

ShapeEnvPtr new_env() { return make_intrusive<ShapeEnv>(); }

TEST(LayoutQuestions, AreAnsweredForLongerSizesWithoutAGuard) {
  const ShapeEnvPtr env = new_env();
  const SymInt batch = env->make_backed(3, {1, INT64_MAX}, "batch");

  EXPECT_FALSE(is_laid_equal(batch, 1));
  EXPECT_FALSE(is_laid_equal(SymInt(16), batch * 16));
  EXPECT_TRUE(is_laid_less(SymInt(16), batch * 16));
  EXPECT_FALSE(is_laid_less(batch * 16, SymInt(16)));
  EXPECT_TRUE(env->guards().empty());
}

TEST(LayoutQuestions, StayFreeWhereTheSizeIsOneInThisRun) {
  const ShapeEnvPtr env = new_env();
  const SymInt batch = env->make_backed(1, {1, INT64_MAX}, "batch");

  EXPECT_FALSE(is_laid_equal(batch, 1));
  EXPECT_TRUE(env->guards().empty());
}

TEST(LayoutQuestions, AreGuardsWhereLongerSizesDiffer) {
  const ShapeEnvPtr env = new_env();
  const SymInt rows = env->make_backed(4, {1, INT64_MAX}, "rows");
  const SymInt columns = env->make_backed(4, {1, INT64_MAX}, "columns");

  EXPECT_TRUE(is_laid_equal(rows, columns));
  EXPECT_FALSE(is_laid_less(rows, SymInt(3)));
  EXPECT_EQ(env->guards().size(), 2U);
}

TEST(LayoutQuestions, OfPlainIntsAreComparisons) {
  EXPECT_TRUE(is_laid_equal(int64_t{1}, int64_t{1}));
  EXPECT_TRUE(is_laid_less(int64_t{1}, int64_t{2}));
  EXPECT_TRUE(is_laid_equal(SymInt(2), SymInt(2)));
}

TEST(Broadcast, OfEqualSizesDoesNotAskWhetherTheyAreOne) {
  const ShapeEnvPtr env = new_env();
  const SymInt left = env->make_backed(3, {1, INT64_MAX}, "left");
  const SymInt right = env->make_backed(3, {1, INT64_MAX}, "right");

  (void)broadcast_sizes(SymSizes{left}, SymSizes{right}, "add");

  ASSERT_EQ(env->guards().size(), 1U);
  EXPECT_EQ(concatenate(env->guards()[0].condition), "s0 == s1");
}

}  // namespace
}  // namespace opwright
