#include "opwright/symbolic/shape_env/sym_program.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"
#include "symbolic/shape_env_text.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::TextEnv;

TextEnv make_program_env() {
  TextEnv env;
  static_cast<void>(env.env->make_size(5, "x"));
  static_cast<void>(env.env->make_size(6, "x"));
  return env;
}

SymProgram program_of(const TextEnv& env, const std::vector<std::string>& texts) {
  std::vector<SymInt> values;
  for (const std::string& text : texts) values.push_back(env.env->parse(text));
  return SymProgram(values, {"s0", "s1"});
}

TEST(SymProgram, ReadsAsAShortPostfixText) {
  const TextEnv env = make_program_env();
  EXPECT_EQ(program_of(env, {"2*s0", "s0 + s1", "7"}).to_text(), "s0 s1 : s0 2 * ; s0 s1 + ; 7 ;");
  EXPECT_EQ(program_of(env, {"max(s0//2, s1 % 3) - 1"}).to_text(),
            "s0 s1 : s0 2 // s1 3 % max 1 - ;");
  EXPECT_EQ(program_of(env, {"s0 <= 8 and s1 != s0"}).to_text(),
            "s0 s1 : s0 s1 - 0 != s0 8 - 0 <= and ;");
}

TEST(SymProgram, ComputesItsValues) {
  const SymProgram program =
      program_of(make_program_env(), {"s0*s1 - 1", "-s0//4", "-s0 % 4", "s0 == 3"});
  const int64_t symbols[] = {3, 7};
  int64_t values[4] = {};

  program.run(symbols, values);

  EXPECT_EQ(values[0], 20);
  EXPECT_EQ(values[1], -1);
  EXPECT_EQ(values[2], 1);
  EXPECT_EQ(values[3], 1);
}

TEST(SymProgram, IsTheSameAfterReading) {
  const SymProgram program =
      program_of(make_program_env(), {"max(s0, 3)//2", "s0 < s1 or s0 == 4", "12"});
  const SymProgram read = SymProgram::parse(program.to_text());
  EXPECT_EQ(read, program);
  EXPECT_EQ(read.num_values(), 3U);
  EXPECT_EQ(read.symbols(), (std::vector<std::string>{"s0", "s1"}));
}

TEST(SymProgram, RefusesWhatItCannotCompute) {
  const TextEnv env = make_program_env();
  const SymProgram quotient = program_of(env, {"s0//(s1 - 6)"});
  const SymProgram product = program_of(env, {"s0*s0*s1"});
  int64_t value[1] = {};
  EXPECT_ERROR(quotient.run(std::vector<int64_t>{1, 6}, value), "ZeroDivisionError",
               "division of a size by zero");
  EXPECT_ERROR(product.run(std::vector<int64_t>{int64_t{1} << 40, 1}, value), "OverflowError",
               "a computed size leaves 64 bits");
  EXPECT_ERROR(product.run(std::vector<int64_t>{1}, value), "ValueError",
               "a program of 2 symbols was given 1 values");
  EXPECT_ERROR(product.run(std::vector<int64_t>{1, 2}, {}), "ValueError",
               "a program computes 1 values, there is room for 0");
}

TEST(SymProgram, RefusesSymbolsThatAreNotListed) {
  const TextEnv env = make_program_env();
  testing::TestOwner owner;
  const SymInt values[] = {env.env->parse("s0 + s1")};
  const SymInt foreign[] = {owner.backed("s0", 4)};
  EXPECT_ERROR(SymProgram(values, {"s0"}), "ValueError",
               "the symbol s1 is not among those that are given");
  EXPECT_ERROR(SymProgram(foreign, {"s0"}), "ValueError",
               "a program of symbolic ints accepts only those of a ShapeEnv, got s0");
}

TEST(SymProgram, RefusesTextThatIsNone) {
  EXPECT_ERROR(SymProgram::parse("s0 s1"), "ValueError",
               "program of symbolic ints: the ':' after the names of the symbols is missing\n"
               "    s0 s1");
  EXPECT_ERROR(SymProgram::parse("s0 : s0 + ;"), "ValueError",
               "program of symbolic ints: an operand or a ';' is missing\n"
               "    s0 : s0 + ;");
  EXPECT_ERROR(SymProgram::parse("s0 : s0"), "ValueError",
               "program of symbolic ints: an operand or a ';' is missing\n"
               "    s0 : s0");
  EXPECT_ERROR(SymProgram::parse("s0 : s1 ;"), "ValueError",
               "program of symbolic ints: 's1' is not an operation, number or listed symbol\n"
               "    s0 : s1 ;");
  EXPECT_ERROR(SymProgram::parse("s0 s0 : ;"), "ValueError",
               "program of symbolic ints: 's0' is listed twice\n"
               "    s0 s0 : ;");
  EXPECT_ERROR(SymProgram::parse("+ : ;"), "ValueError",
               "program of symbolic ints: '+' is not a valid symbol name\n"
               "    + : ;");
}

}  // namespace
}  // namespace opwright
