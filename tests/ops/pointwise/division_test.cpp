#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"

namespace opwright {
namespace {

using testing::elements;
using testing::floats;
using testing::tensor_of;

TEST(Division, RoundsAsAsked) {
  const Tensor x = tensor_of<float>({4}, {7, -7, 7, -7});
  const Tensor y = tensor_of<float>({4}, {2, 2, -2, -2});

  EXPECT_EQ(floats(div(x, y, "floor")), (std::vector<float>{3, -4, -4, 3}));
  EXPECT_EQ(floats(div(x, y, "trunc")), (std::vector<float>{3, -3, -3, 3}));
  EXPECT_EQ(floats(div(x, y, std::nullopt)), (std::vector<float>{3.5, -3.5, -3.5, 3.5}));
  EXPECT_EQ(floats(fmod(x, y)), (std::vector<float>{1, -1, 1, -1}));
  EXPECT_EQ(floats(remainder(x, y)), (std::vector<float>{1, 1, -1, -1}));
}

TEST(Division, RefusesAnUnknownRounding) {
  const Tensor x = testing::range({2});

  EXPECT_ERROR_CONTAINS(div(x, x, "up"), "RuntimeError",
                        "div: rounding_mode must be None, 'floor' or 'trunc', got 'up'");
}

TEST(Division, OfIntsRefusesZero) {
  const Tensor x = full({2}, 7);

  EXPECT_ERROR_CONTAINS(remainder(x, full({2}, 0)), "ZeroDivisionError",
                        "an int was divided by zero");
  EXPECT_ERROR_CONTAINS(div(x, full({2}, 0), "floor"), "ZeroDivisionError",
                        "an int was divided by zero");
}

TEST(Division, OfTheSmallestIntWrapsAround) {
  const int64_t smallest = std::numeric_limits<int64_t>::min();
  const Tensor x = tensor_of<int64_t>({1}, {smallest});

  EXPECT_EQ(elements<int64_t>(floor_divide(x, full({1}, -1))), (std::vector<int64_t>{smallest}));
  EXPECT_EQ(elements<int64_t>(remainder(x, full({1}, -1))), (std::vector<int64_t>{0}));
}

TEST(Power, OfIntsStaysAnInt) {
  const Tensor x = tensor_of<int64_t>({3}, {-2, 1, 3});

  EXPECT_EQ(elements<int64_t>(pow(x, 3)), (std::vector<int64_t>{-8, 1, 27}));
  EXPECT_EQ(elements<int64_t>(pow(x, full({3}, -1))), (std::vector<int64_t>{0, 1, 0}));
  EXPECT_ERROR_CONTAINS(pow(x, -1), "RuntimeError",
                        "pow: an int to the power of -1 is not an int; convert the base");
}

TEST(Clamp, NeedsABoundAndPrefersTheUpperOne) {
  const Tensor x = testing::range({3});

  EXPECT_EQ(floats(clamp(x, 2, 1)), (std::vector<float>{1, 1, 1}));
  EXPECT_ERROR_CONTAINS(clamp(x, std::optional<Scalar>()), "RuntimeError",
                        "clamp: at least one of min and max must be given");
}

TEST(Where, RefusesAConditionThatIsNoBool) {
  const Tensor x = testing::range({3});

  EXPECT_ERROR_CONTAINS(where(x, x, x), "RuntimeError",
                        "where: condition must be a bool tensor, got float32[3]");
}

TEST(Gelu, NamesWhatApproximateMayBe) {
  EXPECT_ERROR_CONTAINS(gelu(testing::range({3}), "exact"), "RuntimeError",
                        "gelu: approximate must be 'none' or 'tanh', got 'exact'");
}

}  // namespace
}  // namespace opwright
