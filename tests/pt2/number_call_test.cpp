#include "opwright/pt2/archive/number_call.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/value.h"

namespace opwright::pt2 {
namespace {

Value whole(int64_t number) { return Value(number); }

Value run(std::string_view target, const std::vector<Value>& arguments) {
  std::vector<OpwValue> given;
  for (const Value& each : arguments) given.push_back(each.get());
  return call_on_numbers(target, given).value_or(Value());
}

TEST(NumberCall, ComputesWithIntsAsPythonDoes) {
  EXPECT_EQ(ValueOf<int64_t>::read(run("_operator.floordiv", {whole(-7), whole(2)}).get()), -4);
  EXPECT_EQ(ValueOf<int64_t>::read(run("_operator.mod", {whole(-7), whole(2)}).get()), 1);
  EXPECT_EQ(ValueOf<int64_t>::read(run("_operator.pow", {whole(3), whole(4)}).get()), 81);
  EXPECT_EQ(ValueOf<int64_t>::read(run("_operator.neg", {whole(3)}).get()), -3);
  EXPECT_TRUE(ValueOf<bool>::read(run("_operator.lt", {whole(2), whole(3)}).get()));
}

TEST(NumberCall, RefusesResultsThatExceed64Bits) {
  constexpr int64_t kLarge = int64_t{1} << 61;
  EXPECT_ERROR(run("_operator.mul", {whole(kLarge), whole(4)}), "OverflowError",
               "_operator.mul of 2305843009213693952 and 4 does not fit in 64 bits");
  EXPECT_ERROR(run("_operator.add", {whole(INT64_MAX), whole(1)}), "OverflowError",
               "_operator.add of 9223372036854775807 and 1 does not fit in 64 bits");
  EXPECT_ERROR(run("_operator.pow", {whole(3), whole(62)}), "OverflowError",
               "_operator.pow of 3 and 62 does not fit in 64 bits");
  EXPECT_ERROR(run("_operator.floordiv", {whole(INT64_MIN), whole(-1)}), "OverflowError",
               "SymInt: -9223372036854775808 is below -2^62");
}

TEST(NumberCall, ComputesWithFloats) {
  EXPECT_EQ(ValueOf<double>::read(run("_operator.truediv", {whole(3), whole(2)}).get()), 1.5);
  EXPECT_EQ(ValueOf<double>::read(run("_operator.mod", {Value(-1.5), Value(1.0)}).get()), 0.5);
  EXPECT_TRUE(ValueOf<bool>::read(run("_operator.ge", {Value(2.0), whole(2)}).get()));
}

TEST(NumberCall, LeavesOtherTargetsAlone) {
  EXPECT_FALSE(call_on_numbers("torch.ops.aten.add.Tensor", {}).has_value());
}

TEST(NumberCall, RefusesWhatIsNoNumber) {
  EXPECT_ERROR(run("_operator.add", {Value(std::string("a")), whole(1)}), "TypeError",
               "_operator.add: a number is expected, got str");
  EXPECT_ERROR(run("_operator.add", {whole(1)}), "TypeError",
               "_operator.add: expected 2 arguments, got 1");
}

}  // namespace
}  // namespace opwright::pt2
