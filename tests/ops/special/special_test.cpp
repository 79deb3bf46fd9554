// Covers: src/ops/special/*.
// Values are compared in tests/ops/against_torch/test_special_accuracy.py.
#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"

namespace opwright {
namespace {

using testing::elements;
using testing::tensor_of;

TEST(Special, MakesFloatsOfInts) {
  EXPECT_EQ(lgamma(full({2}, 3)).dtype(), DType::Float32);
  EXPECT_EQ(polygamma(1, full({2}, 3)).dtype(), DType::Float32);
  EXPECT_EQ(special_zeta(full({2}, 3), Scalar(2)).dtype(), DType::Float32);
  EXPECT_EQ(special_bessel_j0(full({2}, true)).dtype(), DType::Float32);
  EXPECT_EQ(erfc(full({2}, 1, DType::Float16)).dtype(), DType::Float16);
}

TEST(Special, HasTheLimitsOfTheFunctions) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Tensor ends = tensor_of<double>({2}, {-kInfinity, kInfinity});

  EXPECT_EQ(elements<double>(i0(ends)), (std::vector<double>{kInfinity, kInfinity}));
  EXPECT_EQ(elements<double>(special_i1(ends)), (std::vector<double>{-kInfinity, kInfinity}));
  EXPECT_EQ(elements<double>(erfc(ends)), (std::vector<double>{2, 0}));
  EXPECT_EQ(elements<double>(special_airy_ai(ends)), (std::vector<double>{0, 0}));
  EXPECT_EQ(elements<double>(special_bessel_j0(ends)), (std::vector<double>{0, 0}));
}

TEST(Special, SaysWhichDTypesAFunctionTakes) {
  EXPECT_ERROR_CONTAINS(lgamma(full({1}, 1, DType::Complex64)), "TypeError",
                        "lgamma: dtype complex64 is not supported; it takes real dtypes");
  EXPECT_ERROR_CONTAINS(igamma(full({1}, 1, DType::Int64), full({1}, 1, DType::Int64)), "TypeError",
                        "igamma: dtype int64 is not supported; it takes floating dtypes");
  EXPECT_ERROR_CONTAINS(hypot(full({1}, 1, DType::Int64), full({1}, 1, DType::Int64)), "TypeError",
                        "hypot: dtype int64 is not supported; it takes floating dtypes");
}

TEST(Special, RefusesAWrongParameter) {
  const Tensor x = full({1}, 2.0);

  EXPECT_ERROR_CONTAINS(polygamma(-1, x), "RuntimeError",
                        "polygamma: n must not be negative, got -1");
  EXPECT_ERROR_CONTAINS(mvlgamma(x, 0), "RuntimeError", "mvlgamma: p must be at least 1, got 0");
  EXPECT_ERROR_CONTAINS(positive(full({1}, true)), "RuntimeError",
                        "positive: a bool tensor has no sign; use self itself");
}

TEST(Special, FloatPowerInPlaceNeedsTheResultsDType) {
  Tensor x = full({1}, 2.0, DType::Float32);

  EXPECT_ERROR_CONTAINS(x.float_power_(Scalar(2)), "RuntimeError",
                        "float_power_: self must have the dtype of the result, float64");
}

TEST(IncompleteGamma, OfALargeShapeIsAStep) {
  const Tensor a = full({4}, 1e30, DType::Float64);
  const Tensor x = tensor_of<double>({4}, {1, 9e29, 1e30, 1.1e30});

  EXPECT_TRUE(allclose(igamma(a, x), tensor_of<double>({4}, {0, 0, 0.5, 1}), 0, 1e-15));
  EXPECT_TRUE(allclose(igammac(a, x), tensor_of<double>({4}, {1, 1, 0.5, 0}), 0, 1e-15));
  EXPECT_TRUE(allclose(igamma(a.to(DType::Float32), x.to(DType::Float32)),
                       tensor_of<float>({4}, {0, 0, 0.5F, 1}), 0, 1e-6));
}

}  // namespace
}  // namespace opwright
