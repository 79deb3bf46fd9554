#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"

namespace opwright {
namespace {

using testing::elements;
using testing::floats;
using testing::range;
using testing::tensor_of;

TEST(Sum, FoldsAllDimensions) {
  const Tensor total = sum(range({2, 3}));

  EXPECT_EQ(total.dim(), 0);
  EXPECT_EQ(floats(total), (std::vector<float>{15}));
  EXPECT_EQ(floats(range({2, 3}).sum(OptionalIntList())), (std::vector<float>{15}));
}

TEST(Sum, FoldsTheDimensionsThatAreNamed) {
  const Tensor x = range({2, 3, 4});

  EXPECT_EQ(floats(x.sum({0, 2})), (std::vector<float>{60, 92, 124}));
  EXPECT_EQ(floats(x.sum({-1})), (std::vector<float>{6, 22, 38, 54, 70, 86}));
  EXPECT_EQ(testing::sizes(x.sum({0, 2}, true)), (std::vector<int64_t>{1, 3, 1}));
  EXPECT_EQ(floats(x.permute({2, 0, 1}).sum({0})), (std::vector<float>{6, 22, 38, 54, 70, 86}));
}

TEST(Sum, OfIntsAndBoolsIsInt64) {
  const Tensor total = sum(tensor_of<int8_t>({3}, {100, 100, 100}));

  EXPECT_EQ(total.dtype(), DType::Int64);
  EXPECT_EQ(elements<int64_t>(total), (std::vector<int64_t>{300}));
  EXPECT_EQ(elements<int64_t>(sum(full({5}, true))), (std::vector<int64_t>{5}));
}

TEST(Sum, ComputesInTheDTypeThatIsAskedFor) {
  const Tensor total = sum(tensor_of<float>({2}, {1.5, 1.5}), DType::Int32);

  EXPECT_EQ(total.dtype(), DType::Int32);
  EXPECT_EQ(elements<int32_t>(total), (std::vector<int32_t>{2}));
}

TEST(Sum, OfNothingIsZero) {
  EXPECT_EQ(floats(sum(range({0}))), (std::vector<float>{0}));
  EXPECT_EQ(floats(range({0, 2}).sum({0})), (std::vector<float>{0, 0}));
  EXPECT_EQ(testing::sizes(range({0, 2}).sum({1})), (std::vector<int64_t>{0}));
}

TEST(Sum, OfNothingReadsNothing) {
  const Tensor repeated = as_strided(empty({0}), {5, 2, 0}, {0, 0, 0}, 0);

  EXPECT_EQ(floats(sum(repeated)), std::vector<float>{0});
}

TEST(Sum, LosesNoSmallTerms) {
  EXPECT_FLOAT_EQ(floats(sum(full({1 << 20}, 0.1F)))[0], 104857.6F);
  EXPECT_FLOAT_EQ(floats(full({1 << 15, 3}, 0.1F).sum({0}))[2], 3276.8F);
  EXPECT_EQ(static_cast<float>(elements<Half>(sum(full({4096}, 1, DType::Float16)))[0]), 4096.0F);
}

TEST(Sum, RefusesDimensionsThatAreNotThere) {
  EXPECT_ERROR_CONTAINS(range({2, 3}).sum({2}), "IndexError",
                        "sum: dimension 2 is out of range for a tensor of 2 dimensions");
  EXPECT_ERROR_CONTAINS(range({2, 3}).sum({0, -2}), "ValueError",
                        "sum: dim [0, -2] names dimension 0 twice");
}

}  // namespace
}  // namespace opwright
