#include "opwright/compile/fuse/formula.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/compile/fuse/lane_builder.h"
#include "opwright/compile/fuse/nest.h"
#include "opwright/compile/llvm/emit_llvm.h"

namespace opwright {
namespace {

// The lanes of a formula over two operands and one number.
std::string lanes_of(const char* formula, DType compute = DType::Float32) {
  Nest nest;
  LaneBuilder lanes(nest.lanes, llvm_target());
  const std::vector<uint32_t> operands{lanes.load(0, compute), lanes.load(1, compute)};
  const std::vector<Scalar> numbers{Scalar(0.5)};
  const uint32_t result = add_formula(lanes, formula, operands, numbers, compute);
  nest.stores.push_back({.operand = 2, .lane = result});
  const std::string text = to_text(nest);
  return text.substr(text.find('%'));
}

TEST(Formula, BindsProductsTighterThanSums) {
  EXPECT_EQ(lanes_of("x + a * y"),
            "%0 float32 = load 0\n"
            "%1 float32 = load 1\n"
            "%2 float32 = constant 0.5\n"
            "%3 float32 = multiply %2 %1\n"
            "%4 float32 = add %0 %3\n"
            "store 2 %4\n");
}

TEST(Formula, JoinsOperatorsOfOneLevelFromTheLeft) {
  EXPECT_EQ(lanes_of("x - y - x"),
            "%0 float32 = load 0\n"
            "%1 float32 = load 1\n"
            "%2 float32 = subtract %0 %1\n"
            "%3 float32 = subtract %2 %0\n"
            "store 2 %3\n");
}

TEST(Formula, ChoosesByACondition) {
  EXPECT_EQ(lanes_of("x > 0 ? x : a * x"),
            "%0 float32 = load 0\n"
            "%1 float32 = load 1\n"
            "%2 float32 = constant 0\n"
            "%3 bool = greater %0 %2\n"
            "%4 float32 = constant 0.5\n"
            "%5 float32 = multiply %4 %0\n"
            "%6 float32 = select %3 %0 %5\n"
            "store 2 %6\n");
}

TEST(Formula, CountsTruthValuesAsNumbers) {
  EXPECT_EQ(lanes_of("(x > 0) - (x < 0)"),
            "%0 float32 = load 0\n"
            "%1 float32 = load 1\n"
            "%2 float32 = constant 0\n"
            "%3 bool = greater %0 %2\n"
            "%4 bool = less %0 %2\n"
            "%5 float32 = cast %3\n"
            "%6 float32 = cast %4\n"
            "%7 float32 = subtract %5 %6\n"
            "store 2 %7\n");
}

TEST(Formula, AppliesFunctionsOfLanes) {
  EXPECT_EQ(lanes_of("maximum(exp(x), -y)"),
            "%0 float32 = load 0\n"
            "%1 float32 = load 1\n"
            "%2 float32 = exp %0\n"
            "%3 float32 = negate %1\n"
            "%4 float32 = maximum %2 %3\n"
            "store 2 %4\n");
}

TEST(Formula, ComputesAnExpressionOnce) {
  EXPECT_EQ(lanes_of("exp(x) * exp(x)"),
            "%0 float32 = load 0\n"
            "%1 float32 = load 1\n"
            "%2 float32 = exp %0\n"
            "%3 float32 = multiply %2 %2\n"
            "store 2 %3\n");
}

TEST(Formula, WorksOnBitsOfInts) {
  EXPECT_EQ(lanes_of("~x & y << 1", DType::Int32),
            "%0 int32 = load 0\n"
            "%1 int32 = load 1\n"
            "%2 int32 = not %0\n"
            "%3 int32 = constant 1\n"
            "%4 int32 = shift_left %1 %3\n"
            "%5 int32 = and %2 %4\n"
            "store 2 %5\n");
}

TEST(Formula, RefusesWhatIsNone) {
  EXPECT_ERROR(lanes_of("x +"), "ValueError", "formula 'x +': expected an operand at character 3");
  EXPECT_ERROR(lanes_of("x y"), "ValueError", "formula 'x y': expected an operator at character 2");
  EXPECT_ERROR(lanes_of("z"), "ValueError",
               "formula 'z': expected an operand of the call at character 0");
  EXPECT_ERROR(lanes_of("foo(x)"), "ValueError",
               "formula 'foo(x)': expected a function of lanes at character 0");
  EXPECT_ERROR(lanes_of("(x"), "ValueError", "formula '(x': expected ')' at character 2");
}

}  // namespace
}  // namespace opwright
