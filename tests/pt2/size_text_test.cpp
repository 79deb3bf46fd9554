#include "opwright/pt2/archive/size_text.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/error.h"

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
}

TEST(SizeText, RefusesNumbersBeyond62Bits) {
  EXPECT_EQ(linear("Integer(4611686018427387904)"), "0*+4611686018427387904");
  for (const char* text : {"Integer(4611686018427387905)", "Integer(-4611686018427387905)",
                           "Mul(Integer(4611686018427387904), Integer(4611686018427387904))",
                           "Add(Integer(4611686018427387904), Integer(1))"}) {
    EXPECT_ERROR(
        linear(text), "OverflowError",
        concatenate("input 'x': the size '", text, "' of an input has numbers beyond 2^62"));
  }
}

TEST(SizeText, ASizeForAValueIsChecked) {
  const LinearSize size = {.symbol = "s0", .factor = int64_t{1} << 62, .offset = 1};
  EXPECT_EQ(size.at(1), (int64_t{1} << 62) + 1);
  EXPECT_ERROR(size.at(2), "OverflowError",
               "the size 4611686018427387904*s0 + 1 does not fit in 64 bits at s0 = 2");
}

std::string printed(const std::string& text) {
  const LinearSize size = read_printed_size(text, "ranges");
  return concatenate(size.factor, "*", size.symbol, "+", size.offset);
}

TEST(SizeText, ReadsWhatPythonPrints) {
  EXPECT_EQ(printed("s77"), "1*s77+0");
  EXPECT_EQ(printed("4*s77"), "4*s77+0");
  EXPECT_EQ(printed("2*s77 - 1"), "2*s77+-1");
  EXPECT_EQ(printed("3 - s77"), "-1*s77+3");
  EXPECT_EQ(printed("-s77 + 2*(s77 + 1)"), "1*s77+2");
  EXPECT_EQ(printed("12"), "0*+12");
}

TEST(SizeText, RefusesOtherPrintedExpressions) {
  for (const char* text : {"s0*s1", "s0**2", "s0//2", "Max(2, s0)", "s0 + ", "s0 % 2", "", "2s0"}) {
    EXPECT_ERROR(printed(text), "NotImplementedError",
                 concatenate("ranges: the size '", text,
                             "' of an input is not supported; sizes of inputs may be numbers, "
                             "symbols, and linear in one symbol"));
  }
  EXPECT_ERROR(printed("9223372036854775808"), "OverflowError",
               "ranges: the size '9223372036854775808' of an input has numbers beyond 2^62");
  EXPECT_ERROR(printed(std::string(100, '(')), "NotImplementedError",
               concatenate("ranges: the size '", std::string(100, '('),
                           "' of an input is not supported; sizes of inputs may be numbers, "
                           "symbols, and linear in one symbol"));
}

}  // namespace
}  // namespace opwright::pt2
