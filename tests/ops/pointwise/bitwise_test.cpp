#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"

namespace opwright {
namespace {

using testing::elements;
using testing::range;
using testing::tensor_of;

using Bools = std::vector<bool>;

TEST(Bitwise, CombinesTheBitsOfInts) {
  const Tensor x = tensor_of<uint8_t>({2}, {12, 255});
  const Tensor y = tensor_of<uint8_t>({2}, {10, 15});

  EXPECT_EQ(elements<uint8_t>(bitwise_and(x, y)), (std::vector<uint8_t>{8, 15}));
  EXPECT_EQ(elements<uint8_t>(bitwise_or(x, y)), (std::vector<uint8_t>{14, 255}));
  EXPECT_EQ(elements<uint8_t>(bitwise_xor(x, y)), (std::vector<uint8_t>{6, 240}));
  EXPECT_EQ(elements<uint8_t>(bitwise_not(x)), (std::vector<uint8_t>{243, 0}));
  EXPECT_EQ(elements<uint8_t>(x.bitwise_and(6)), (std::vector<uint8_t>{4, 6}));
  EXPECT_EQ(elements<uint8_t>(x.bitwise_or(3)), (std::vector<uint8_t>{15, 255}));
  EXPECT_EQ(elements<uint8_t>(x.bitwise_xor(1)), (std::vector<uint8_t>{13, 254}));
}

TEST(Bitwise, TakesBoolsAsTruthValues) {
  const Tensor x = tensor_of<bool>({2}, {true, false});

  EXPECT_EQ(elements<bool>(bitwise_and(x, x)), (Bools{true, false}));
  EXPECT_EQ(elements<bool>(x.bitwise_or(true)), (Bools{true, true}));
  EXPECT_EQ(elements<bool>(bitwise_xor(x, x)), (Bools{false, false}));
  EXPECT_EQ(elements<bool>(bitwise_not(x)), (Bools{false, true}));
}

TEST(Bitwise, TakesEveryIntegralDType) {
  for (const DType dtype : testing::kNumberDTypes) {
    if (!is_integral(dtype)) continue;
    EXPECT_EQ(elements<int64_t>(full({1}, 6, dtype).bitwise_and(3).to(DType::Int64)),
              (std::vector<int64_t>{2}));
  }
  EXPECT_EQ(bitwise_or(full({1}, 6, DType::Int8), full({1}, true)).dtype(), DType::Int8);
}

TEST(Bitwise, RefusesFloats) {
  EXPECT_ERROR_CONTAINS(bitwise_and(range({2}), range({2})), "TypeError",
                        "bitwise_and: dtype float32 is not supported; it takes bool and integral "
                        "dtypes");
  EXPECT_ERROR_CONTAINS(full({2}, 1).bitwise_xor(0.5), "TypeError",
                        "bitwise_xor: dtype float32 is not supported");
  EXPECT_ERROR_CONTAINS(bitwise_not(range({2})), "TypeError",
                        "bitwise_not: dtype float32 is not supported");
}

TEST(LogicalNot, IsTrueForZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN();

  EXPECT_EQ(elements<bool>(logical_not(tensor_of<double>({4}, {0, -0.0, 2, nan}))),
            (Bools{true, true, false, false}));
  EXPECT_EQ(elements<bool>(logical_not(full({1}, Complex<double>(0, 1)))), (Bools{false}));
  EXPECT_EQ(logical_not(full({1}, 3)).dtype(), DType::Bool);
}

}  // namespace
}  // namespace opwright
