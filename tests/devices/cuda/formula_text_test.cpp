#include "devices/cuda/kernels/formula_text.h"

#include <optional>

#include <gtest/gtest.h>

namespace opwright::cuda {
namespace {

TEST(FormulaText, WritesEveryTermOnce) {
  const std::optional<FormulaText> formula = write_formula("x * x + x * x", false);

  ASSERT_TRUE(formula);
  EXPECT_EQ(formula->body, "const T t0 = multiply(x, x); const T t1 = add(t0, t0); return t1;");
  EXPECT_TRUE(formula->takes_floats);
  EXPECT_TRUE(formula->takes_ints);
  EXPECT_EQ(formula->num_operands, 1);
}

TEST(FormulaText, KnowsTruthValues) {
  const std::optional<FormulaText> formula = write_formula("x < y && !isnan(x)", false);

  ASSERT_TRUE(formula);
  EXPECT_TRUE(formula->is_truth);
  EXPECT_FALSE(formula->takes_ints);
}

TEST(FormulaText, KnowsWhatTakesIntsAlone) {
  const std::optional<FormulaText> formula = write_formula("x & ~y", false);

  ASSERT_TRUE(formula);
  EXPECT_TRUE(formula->takes_ints);
  EXPECT_FALSE(formula->takes_floats);
}

TEST(FormulaText, HasNoSumsOfBools) {
  EXPECT_FALSE(write_formula("x + y", true));
  EXPECT_TRUE(write_formula("x | (a & y)", true));
}

TEST(FormulaText, RefusesWhatIsNoFormula) {
  for (const char* text : {"numbers", "x +", "x y", "(x", "floor", "exp(x, y)", "unknown(x)", ""})
    EXPECT_FALSE(write_formula(text, false)) << text;
}

}  // namespace
}  // namespace opwright::cuda
