#include <cmath>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"

namespace opwright {
namespace {

using testing::elements;
using testing::floats;
using testing::range;
using testing::tensor_of;

TEST(Unary, ComputesTheFunction) {
  const Tensor x = tensor_of<double>({3}, {-1, 0, 2});

  EXPECT_EQ(elements<double>(sin(x)), (std::vector<double>{std::sin(-1.0), 0, std::sin(2.0)}));
  EXPECT_EQ(elements<double>(cos(x)), (std::vector<double>{std::cos(-1.0), 1, std::cos(2.0)}));
  EXPECT_EQ(elements<double>(exp(x)), (std::vector<double>{std::exp(-1.0), 1, std::exp(2.0)}));
  EXPECT_EQ(elements<double>(neg(x)), (std::vector<double>{1, -0.0, -2}));
  EXPECT_EQ(elements<double>(abs(x)), (std::vector<double>{1, 0, 2}));
  EXPECT_EQ(elements<double>(reciprocal(x + 3)), (std::vector<double>{1.0 / 2, 1.0 / 3, 1.0 / 5}));
}

TEST(Unary, MakesFloatsOfInts) {
  EXPECT_EQ(exp(full({2}, 1)).dtype(), DType::Float32);
  EXPECT_EQ(sin(full({2}, true)).dtype(), DType::Float32);
  EXPECT_EQ(cos(full({2}, 1, DType::BFloat16)).dtype(), DType::BFloat16);
  EXPECT_EQ(neg(full({2}, 1, DType::Int8)).dtype(), DType::Int8);
}

TEST(Unary, TakesComplexNumbers) {
  const Tensor x = full({1}, Complex<double>(3, -4), DType::Complex128);

  EXPECT_EQ(abs(x).dtype(), DType::Float64);
  EXPECT_EQ(elements<double>(abs(x)), (std::vector<double>{5}));
  EXPECT_EQ(elements<Complex<double>>(neg(x))[0], Complex<double>(-3, 4));
}

TEST(Unary, ReadsAnyStrides) {
  EXPECT_EQ(floats(neg(range({2, 3}).t())), (std::vector<float>{0, -3, -1, -4, -2, -5}));
  EXPECT_EQ(floats(neg(range({7}).slice(0, 1, 6, 2))), (std::vector<float>{-1, -3, -5}));
  EXPECT_EQ(testing::sizes(sin(range({2, 0}))), (std::vector<int64_t>{2, 0}));
}

TEST(Neg, RefusesBools) {
  EXPECT_ERROR_CONTAINS(neg(full({2}, true)), "RuntimeError",
                        "neg: a bool tensor has no negative; use logical_not to invert it");
}

TEST(Abs, RefusesComplexNumbersInPlace) {
  Tensor z = full({2}, 1, DType::Complex64);

  EXPECT_ERROR_CONTAINS(z.abs_(), "RuntimeError",
                        "abs_: self is complex64, and its magnitudes are float32; use abs, which "
                        "makes a new tensor");
}

TEST(Neg, OfTheSmallestIntIsItself) {
  EXPECT_EQ(elements<int8_t>(neg(tensor_of<int8_t>({1}, {-128}))), (std::vector<int8_t>{-128}));
  EXPECT_EQ(elements<int8_t>(abs(tensor_of<int8_t>({2}, {-128, -3}))),
            (std::vector<int8_t>{-128, 3}));
}

}  // namespace
}  // namespace opwright
