#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"

namespace opwright {
namespace {

using testing::elements;
using testing::tensor_of;

TEST(NumberParts, SplitsAFloatIntoMantissaAndExponent) {
  const Tensor x = tensor_of<double>({4}, {0, -0.75, 12, 5e-324});

  const auto [mantissa, exponent] = frexp(x);

  EXPECT_EQ(elements<double>(mantissa), (std::vector<double>{0, -0.75, 0.75, 0.5}));
  EXPECT_EQ(elements<int32_t>(exponent), (std::vector<int32_t>{0, 0, 4, -1073}));
}

TEST(NumberParts, StepsToTheNextNumberOfAHalf) {
  const Tensor one = full({1}, 1, DType::BFloat16);

  EXPECT_EQ(nextafter(one, one * 2).item().to<double>(), 1.0078125);
  EXPECT_EQ(nextafter(one, one * 0).item().to<double>(), 0.99609375);
}

TEST(NumberParts, ReplacesWithTheLimitsOfTheDType) {
  const Tensor x = full({1}, std::numeric_limits<double>::infinity(), DType::Float16);

  EXPECT_EQ(nan_to_num(x).item().to<double>(), 65504);
}

TEST(NumberParts, HeavisideNeedsOneDType) {
  EXPECT_ERROR_CONTAINS(heaviside(full({1}, 1.0), full({1}, 1, DType::Int64)), "RuntimeError",
                        "heaviside: values must have the dtype of self, float32, got int64");
}

TEST(NumberParts, ShiftsTakeInts) {
  EXPECT_ERROR_CONTAINS(
      bitwise_left_shift(full({1}, 1.0), Scalar(1)), "TypeError",
      "bitwise_left_shift: dtype float32 is not supported; it takes integral dtypes");
  EXPECT_ERROR_CONTAINS(gcd(full({1}, true), full({1}, true)), "TypeError",
                        "gcd: dtype bool is not supported; it takes integral dtypes");
}

}  // namespace
}  // namespace opwright
