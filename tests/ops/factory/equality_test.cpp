#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"

namespace opwright {
namespace {

using testing::range;
using testing::tensor_of;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(Equal, ComparesSizesAndEveryElement) {
  const Tensor x = range({2, 3});

  EXPECT_TRUE(equal(x, x.clone()));
  EXPECT_TRUE(equal(x.t(), x.t().contiguous()));
  EXPECT_FALSE(equal(x, x.add(full({2, 3}, 1))));
  EXPECT_FALSE(equal(x, x.reshape({3, 2})));
  EXPECT_TRUE(equal(range({0}), range({0})));
}

TEST(Equal, ComparesNumbersAndNotBytes) {
  EXPECT_TRUE(equal(full({1}, 0.0), full({1}, -0.0)));
  EXPECT_FALSE(equal(full({1}, kNaN), full({1}, kNaN)));
}

TEST(Equal, SeesADifferenceAnywhereInALargeTensor) {
  const Tensor x = zeros({300000}, DType::Int8);
  const Tensor y = x.clone();
  y.select(0, 299999).fill_(1);

  EXPECT_FALSE(equal(x, y));
}

TEST(Equal, TakesEveryDType) {
  for (const DType dtype : testing::kNumberDTypes) {
    EXPECT_TRUE(equal(range({3}).to(dtype), range({3}).to(dtype)));
    EXPECT_FALSE(equal(range({3}).to(dtype), zeros({3}, dtype)));
  }
  EXPECT_FALSE(equal(full({2}, 1.0), full({2}, 1)));
}

TEST(Allclose, TakesADifferenceRelativeToTheOther) {
  const Tensor x = tensor_of<double>({2}, {1, 1000});

  EXPECT_TRUE(allclose(x, tensor_of<double>({2}, {1.000001, 1000.001})));
  EXPECT_FALSE(allclose(x, tensor_of<double>({2}, {1.1, 1000})));
  EXPECT_TRUE(allclose(x, tensor_of<double>({2}, {1.1, 1000}), 0, 0.2));
  EXPECT_TRUE(allclose(x, x, 0, 0));
}

TEST(Allclose, TakesNotANumberAsEqualWhenAsked) {
  const Tensor x = full({1}, kNaN);

  EXPECT_FALSE(allclose(x, x));
  EXPECT_TRUE(allclose(x, x, 1e-5, 1e-8, true));
  EXPECT_FALSE(allclose(x, full({1}, 1.0), 1e-5, 1e-8, true));
}

TEST(Allclose, TakesInfinityAsCloseToItselfOnly) {
  EXPECT_TRUE(allclose(full({1}, kInfinite), full({1}, kInfinite)));
  EXPECT_FALSE(allclose(full({1}, 1.0), full({1}, kInfinite)));
  EXPECT_FALSE(allclose(full({1}, -kInfinite), full({1}, kInfinite)));
}

TEST(Allclose, BroadcastsAndTakesEveryDType) {
  for (const DType dtype : testing::kNumberDTypes) {
    EXPECT_TRUE(allclose(full({2, 3}, 2, dtype), full({3}, 2, dtype)));
    EXPECT_FALSE(allclose(full({2, 3}, 2, dtype), full({3}, 4, dtype)));
  }
  EXPECT_TRUE(allclose(full({2}, true), full({2}, true)));
}

TEST(Allclose, RefusesWhatCannotBeCompared) {
  EXPECT_ERROR_CONTAINS(allclose(range({2}), full({2}, 1)), "TypeError",
                        "allclose: both tensors must have one dtype, got self of float32 and other "
                        "of int64");
  EXPECT_ERROR_CONTAINS(allclose(range({2}), range({3})), "ValueError",
                        "allclose: sizes [2] and [3] do not broadcast");
  EXPECT_ERROR_CONTAINS(allclose(range({2}), range({2}), -1), "ValueError",
                        "allclose: rtol and atol must not be negative, got -1 and 1e-08");
}

}  // namespace
}  // namespace opwright
