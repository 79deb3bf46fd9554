// Covers: src/ops/sorting/*.
#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/fake_tensor.h"
#include "opwright/tensor/factory.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::elements;
using testing::floats;
using testing::range;
using testing::tensor_of;
using testing::TestOwner;

TEST(Cumsum, AddsAlongADimension) {
  EXPECT_EQ(floats(range({2, 3}).cumsum(1)), (std::vector<float>{0, 1, 3, 3, 7, 12}));
  EXPECT_EQ(floats(range({2, 3}).cumsum(0)), (std::vector<float>{0, 1, 2, 3, 5, 7}));
  EXPECT_EQ(tensor_of<int8_t>({1}, {1}).cumsum(0).dtype(), DType::Int64);
}

TEST(Cumsum, RefusesBoolResults) {
  EXPECT_ERROR_CONTAINS(range({2}).cumsum(0, DType::Bool), "TypeError",
                        "cumsum: dtype bool is not supported");
}

TEST(Sort, KeepsTheOrderOfEqualElements) {
  const auto [values, indices] = sort(tensor_of<float>({5}, {2, 1, 2, 1, 0}));

  EXPECT_EQ(floats(values), (std::vector<float>{0, 1, 1, 2, 2}));
  EXPECT_EQ(elements<int64_t>(indices), (std::vector<int64_t>{4, 1, 3, 0, 2}));
}

TEST(Sort, HasNotANumberLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN();

  const auto [values, indices] = sort(tensor_of<float>({3}, {nan, 1, 5}));

  EXPECT_EQ(elements<int64_t>(indices), (std::vector<int64_t>{1, 2, 0}));
}

TEST(TopK, GivesTheLargestFromTheLargestOn) {
  const auto [values, indices] = topk(tensor_of<float>({2, 3}, {1, 3, 2, 6, 4, 5}), 2);

  EXPECT_EQ(floats(values), (std::vector<float>{3, 2, 6, 5}));
  EXPECT_EQ(elements<int64_t>(indices), (std::vector<int64_t>{1, 2, 0, 2}));
}

TEST(TopK, RefusesMoreThanThereAre) {
  EXPECT_ERROR_CONTAINS(topk(range({2, 3}), 4), "RuntimeError",
                        "topk: k must be from 0 to the size 3 of dimension 1 of self with sizes "
                        "[2, 3], got 4");
}

TEST(FakeSorting, KeepsSymbolicSizes) {
  TestOwner owner;
  const std::vector<SymInt> sizes{owner.backed("s0", 5), 3};
  const Tensor fake = make_fake(sizes, DType::Float32, kCpu);

  EXPECT_EQ(concatenate(fake.cumsum(0)), "float32[s0, 3]");
  EXPECT_EQ(concatenate(std::get<1>(sort(fake))), "int64[s0, 3]");
  EXPECT_EQ(concatenate(std::get<0>(topk(fake, 2, 0))), "float32[2, 3]");
  EXPECT_TRUE(owner.specialisations.empty());
}

}  // namespace
}  // namespace opwright
