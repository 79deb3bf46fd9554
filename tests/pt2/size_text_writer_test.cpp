#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "opwright/pt2/archive/size_text.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright::pt2 {
namespace {

Symbol size_named(std::string name, std::optional<int64_t> hint) {
  Symbol symbol;
  symbol.name = std::move(name);
  symbol.hint = hint;
  symbol.range = {.least = 2, .greatest = 64};
  return symbol;
}

// The text of an expression of the sizes s0 and unit and of u0, known when the program runs.
std::string written(std::string_view expression) {
  ShapeEnv env;
  (void)env.declare(size_named("s0", 4));
  (void)env.declare(size_named("unit", 5));
  (void)env.declare(size_named("u0", std::nullopt));
  return SizeText(&env).write(env.parse(expression).word());
}

TEST(SizeTextWriter, WritesSymbolsWithWhatTorchAssumesOfThem) {
  EXPECT_EQ(written("7"), "Integer(7)");
  EXPECT_EQ(written("s0"), "Symbol('s0', positive=True, integer=True)");
  EXPECT_EQ(written("u0"), "Symbol('u0', integer=True)");
}

TEST(SizeTextWriter, RenamesASizeThatTorchTakesForOneOfRunTime) {
  EXPECT_EQ(written("unit"), "Symbol('s_unit', positive=True, integer=True)");
}

TEST(SizeTextWriter, WritesSumsProductsAndDivisions) {
  const std::string s0 = "Symbol('s0', positive=True, integer=True)";
  const std::string u0 = "Symbol('u0', integer=True)";
  EXPECT_EQ(written("2*s0"), "Mul(Integer(2), " + s0 + ")");
  EXPECT_EQ(written("2*s0 - 1"), "Add(Mul(Integer(2), " + s0 + "), Integer(-1))");
  EXPECT_EQ(written("s0*u0"), "Mul(" + s0 + ", " + u0 + ")");
  EXPECT_EQ(written("s0//2"), "FloorDiv(" + s0 + ", Integer(2))");
  EXPECT_EQ(written("s0 % 3"), "PythonMod(" + s0 + ", Integer(3))");
  EXPECT_EQ(written("max(s0, u0)"), "Max(" + s0 + ", " + u0 + ")");
}

TEST(SizeTextWriter, WritesConditionsAsRelationsToZero) {
  const std::string u0 = "Symbol('u0', integer=True)";
  EXPECT_EQ(written("u0 <= 3"), "LessThan(Add(" + u0 + ", Integer(-3)), Integer(0))");
  EXPECT_EQ(written("u0 == 3"), "Equality(Add(" + u0 + ", Integer(-3)), Integer(0))");
}

TEST(SizeTextWriter, ReadsItsOwnLinearSizes) {
  const LinearSize size = read_linear_size(written("3*s0 + 2"), "x");
  EXPECT_EQ(size.symbol, "s0");
  EXPECT_EQ(size.factor, 3);
  EXPECT_EQ(size.offset, 2);
}

}  // namespace
}  // namespace opwright::pt2
