#include "opwright/schema/overloads.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/schema/parser.h"

namespace opwright {
namespace {

class Add : public ::testing::Test {
 protected:
  static OpwValue tensor() {
    static OpwTensor some{};
    OpwValue value{};
    value.tag = kOpwTensor;
    value.as_tensor = &some;
    return value;
  }
  size_t choose(std::vector<OpwValue> arguments) { return choose_overload(overloads_, arguments); }

  Schema tensor_ = parse_schema("a::add.Tensor(Tensor x, Tensor y) -> Tensor");
  Schema scalar_ = parse_schema("a::add.Scalar(Tensor x, Scalar y) -> Tensor");
  Schema float_ = parse_schema("a::add.float(float x, float y) -> float");
  Schema int_ = parse_schema("a::add.int(int x, int y) -> int");
  std::vector<const Schema*> overloads_{&tensor_, &scalar_, &float_, &int_};
};

TEST_F(Add, TakesTheOverloadThatBinds) {
  EXPECT_EQ(choose({tensor(), tensor()}), 0u);
  EXPECT_EQ(choose({tensor(), ValueOf<double>::lend(2)}), 1u);
}

TEST_F(Add, PrefersExactKindsOverCoercedOnes) {
  EXPECT_EQ(choose({ValueOf<int64_t>::lend(1), ValueOf<int64_t>::lend(2)}), 3u);
  EXPECT_EQ(choose({ValueOf<int64_t>::lend(1), ValueOf<double>::lend(2)}), 2u);
}

TEST_F(Add, ListsEachOverloadWithWhyItDoesNotFit) {
  const KeywordValue keywords[] = {{"alpha", ValueOf<bool>::lend(true)}};
  const std::vector<OpwValue> positional{tensor()};
  overloads_.pop_back();
  EXPECT_ERROR(choose_overload(overloads_, positional, keywords), "TypeError",
               "no overload of a::add takes (Tensor, alpha=bool)\n"
               "  a::add.Tensor(Tensor x, Tensor y) -> Tensor\n"
               "    got an unexpected keyword argument 'alpha'\n"
               "  a::add.Scalar(Tensor x, Scalar y) -> Tensor\n"
               "    got an unexpected keyword argument 'alpha'\n"
               "  a::add.float(float x, float y) -> float\n"
               "    got an unexpected keyword argument 'alpha'");
  EXPECT_ERROR_CONTAINS(choose({tensor(), ValueOf<std::string_view>::lend("2")}), "TypeError",
                        "    argument 'y' (position 2) must be Scalar, got str");
}

}  // namespace
}  // namespace opwright
