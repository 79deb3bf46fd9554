#include "opwright/pt2/archive/size_text.h"

#include <string>

#include <gtest/gtest.h>

#include "base/expect_error.h"

namespace opwright::pt2 {
namespace {

std::string linear(const std::string& text) {
  const LinearSize size = read_linear_size(text, "input 'x'");
  return std::to_string(size.factor) + "*" + size.symbol + "+" + std::to_string(size.offset);
}

TEST(SizeText, ReadsNumbersSymbolsAndLinearExpressions) {
  EXPECT_EQ(linear("Integer(-3)"), "0*+-3");
  EXPECT_EQ(linear("Symbol('s77', positive=True, integer=True)"), "1*s77+0");
  EXPECT_EQ(linear("Add(Mul(Integer(2), Symbol('s0', integer=True)), Integer(1))"), "2*s0+1");
  EXPECT_EQ(linear("Mul(Integer(2), Add(Symbol('s0'), Integer(-1)), Integer(3))"), "6*s0+-6");
}

TEST(SizeText, RefusesOtherExpressions) {
  EXPECT_ERROR(linear("Mul(Symbol('s0'), Symbol('s1'))"), "NotImplementedError",
               "input 'x': the size 'Mul(Symbol('s0'), Symbol('s1'))' of an input is not "
               "supported; sizes of inputs may be numbers, symbols, and linear in one symbol");
  EXPECT_ERROR(linear("FloorDiv(Symbol('s0'), Integer(2))"), "NotImplementedError",
               "input 'x': the size 'FloorDiv(Symbol('s0'), Integer(2))' of an input is not "
               "supported; sizes of inputs may be numbers, symbols, and linear in one symbol");
}

TEST(SizeText, ReportsInvalidTexts) {
  EXPECT_ERROR(linear("Integer(x)"), "ValueError",
               "input 'x': the size 'Integer(x)' is not valid: an int of 64 bits is expected at "
               "character 9");
  EXPECT_ERROR(linear("Integer(1))"), "ValueError",
               "input 'x': the size 'Integer(1))' is not valid: the end of the text is expected at "
               "character 11");
  EXPECT_ERROR(linear("Mul(Integer(9223372036854775807), Integer(2))"), "OverflowError",
               "a size of an input is too large");
}

}  // namespace
}  // namespace opwright::pt2
