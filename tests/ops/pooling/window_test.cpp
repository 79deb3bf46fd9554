// Covers: src/ops/pooling/*.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

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
using testing::sizes;
using testing::strides;
using testing::tensor_of;
using testing::TestOwner;

const std::optional<Tensor> kNoSampleWeights;
const std::optional<double> kNoScale;

Tensor symbolic(TestOwner& owner, std::vector<SymInt> rest) {
  std::vector<SymInt> sizes{owner.backed("s0", 5)};
  sizes.insert(sizes.end(), rest.begin(), rest.end());
  return make_fake(sizes, DType::Float32, kCpu);
}

TEST(AveragePool, DividesByTheElementsInsideWhereThePaddingDoesNotCount) {
  const Tensor ones = full({1, 1, 2, 2}, 1.0F);

  EXPECT_EQ(floats(avg_pool2d(ones, {2}, {1}, {1}, false, false)), std::vector<float>(9, 1.0F));
  EXPECT_EQ(floats(avg_pool2d(ones, {2}, {2}, {1}, false, true)), std::vector<float>(4, 0.25F));
}

TEST(AvgPool2d, OfIntsWrapsAround) {
  Tensor least = empty({1, 2, 2}, DType::Int64);
  std::fill_n(least.mutable_data<int64_t>(), 4, INT64_MIN);

  EXPECT_EQ(elements<int64_t>(avg_pool2d(least, {2})), std::vector<int64_t>{0});
  EXPECT_EQ(elements<int64_t>(avg_pool2d(least, {1}, {1}, {0}, false, true, -1)),
            std::vector<int64_t>(4, INT64_MIN));
}

TEST(AveragePool, KeepsChannelsLast) {
  const Tensor x = full({2, 3, 4, 4}, 1.0F).contiguous(MemoryFormat::ChannelsLast);

  EXPECT_EQ(strides(avg_pool2d(x, {2})), (std::vector<int64_t>{12, 1, 6, 3}));
}

TEST(AveragePool, RefusesWindowsThatCannotBe) {
  const Tensor x = range({1, 4, 4});
  EXPECT_ERROR_CONTAINS(avg_pool2d(x, {2, 2, 2}), "RuntimeError",
                        "avg_pool2d: kernel_size must hold one number or 2, got [2, 2, 2]");
  EXPECT_ERROR_CONTAINS(avg_pool2d(x, {0}), "RuntimeError",
                        "avg_pool2d: kernel_size must be from 1 to 2147483647, got 0");
  EXPECT_ERROR_CONTAINS(avg_pool2d(x, {2}, {0}), "RuntimeError", "stride must be from 1");
  EXPECT_ERROR_CONTAINS(avg_pool2d(x, {2}, {2}, {2}), "RuntimeError",
                        "padding must be at most half of kernel_size, got padding 2 and "
                        "kernel_size 2");
  EXPECT_ERROR_CONTAINS(avg_pool2d(x, {5}), "ValueError",
                        "no window of 5 elements fits in self of sizes [1, 4, 4] with padding 0");
  EXPECT_ERROR_CONTAINS(avg_pool2d(range({4, 4}), {2}), "RuntimeError",
                        "avg_pool2d: self must have 3 or 4 dimensions, got sizes [4, 4]");
  EXPECT_ERROR_CONTAINS(avg_pool2d(x, {2}, {2}, {0}, false, true, 0), "RuntimeError",
                        "avg_pool2d: divisor_override must not be zero");
  EXPECT_ERROR_CONTAINS(avg_pool2d(full({1, 4, 4}, true, DType::Bool), {2}), "TypeError",
                        "avg_pool2d: self of bool is not supported; give it a floating dtype");
}

TEST(AveragePool, RefusesAGradientOfOtherSizes) {
  EXPECT_ERROR_CONTAINS(avg_pool2d_backward(range({1, 3, 3}), range({1, 4, 4}), {2, 2}, {2, 2},
                                            {0, 0}, false, true, std::nullopt),
                        "ValueError",
                        "avg_pool2d_backward: grad_output must have the sizes [1, 2, 2] of the "
                        "result, got [1, 3, 3]");
}

TEST(MaxPool, TakesTheFirstOfEqualElements) {
  const auto [values, indices] = max_pool2d_with_indices(full({1, 3, 3}, 2.0F), {2}, {1});

  EXPECT_EQ(elements<int64_t>(indices), (std::vector<int64_t>{0, 1, 3, 4}));
}

TEST(MaxPool, RefusesIndicesOutsideOfThePlane) {
  EXPECT_ERROR_CONTAINS(
      max_pool2d_with_indices_backward(range({1, 1, 1}), range({1, 2, 2}), {2, 2}, {2, 2}, {0, 0},
                                       {1, 1}, false, tensor_of<int64_t>({1, 1, 1}, {4})),
      "IndexError",
      "max_pool2d_with_indices_backward: indices must be from 0 to 3, the positions in a plane of "
      "self, got 4");
}

TEST(AdaptivePool, CoversEveryElement) {
  EXPECT_EQ(floats(adaptive_avg_pool1d(range({1, 5}), {2})), (std::vector<float>{1, 3}));
  EXPECT_EQ(floats(std::get<0>(adaptive_max_pool1d(range({1, 5}), {3}))),
            (std::vector<float>{1, 3, 4}));
}

TEST(Upsample, TakesASizeOrFactorsButNotBoth) {
  const Tensor x = range({1, 1, 2, 2});
  const double factors[] = {2.0, 2.0};

  EXPECT_EQ(sizes(upsample_nearest2d(x, std::nullopt, std::span(factors))),
            (std::vector<int64_t>{1, 1, 4, 4}));
  EXPECT_ERROR_CONTAINS(upsample_nearest2d(x, std::nullopt, std::nullopt), "RuntimeError",
                        "upsample_nearest2d: give either output_size or scale_factors");
}

TEST(Upsample, RefusesPlanesWithoutElements) {
  EXPECT_ERROR_CONTAINS(
      upsample_bilinear2d(range({1, 1, 2, 2}), {0, 2}, false, kNoScale, kNoScale), "ValueError",
      "upsample_bilinear2d: sizes of planes must be positive, got input [1, 1, 2, 2] and "
      "output_size [0, 2]");
}

TEST(Columns, OfAnImageAddUpToItAgain) {
  const Tensor x = range({1, 1, 2, 2});

  const Tensor columns = im2col(x, {1, 2}, {1, 1}, {0, 0}, {1, 1});

  EXPECT_EQ(floats(columns), (std::vector<float>{0, 2, 1, 3}));
  EXPECT_EQ(floats(col2im(columns, {2, 2}, {1, 2}, {1, 1}, {0, 0}, {1, 1})), floats(x));
}

TEST(Columns, RefuseAnotherNumberOfWindows) {
  EXPECT_ERROR_CONTAINS(col2im(range({1, 4, 3}), {3, 3}, {2, 2}, {1, 1}, {0, 0}, {1, 1}),
                        "ValueError",
                        "col2im: the last dimension of self of sizes [1, 4, 3] must have a column "
                        "for each of 2 * 2 windows in output_size [3, 3]");
}

TEST(GridSampler, RefusesAnotherBatch) {
  EXPECT_ERROR_CONTAINS(grid_sampler_2d(range({1, 1, 2, 2}), range({2, 1, 1, 2}), 0, 0, false),
                        "ValueError",
                        "[the same batch, rows, columns, 2] are needed, got "
                        "[1, 1, 2, 2] and [2, 1, 1, 2]");
}

TEST(Distance, RefusesRowsOfOtherLengths) {
  EXPECT_ERROR_CONTAINS(_cdist_forward(range({2, 3}), range({2, 4}), 2.0, std::nullopt),
                        "ValueError",
                        "_cdist_forward: x1 and x2 must have the same number of columns, got sizes "
                        "[2, 3] and [2, 4]");
}

TEST(EmbeddingBag, RefusesOffsetsAndIndicesThatPointNowhere) {
  const Tensor weight = range({3, 2});
  const auto bag = [&](std::vector<int64_t> indices, std::vector<int64_t> offsets) {
    const auto as_tensor = [](const std::vector<int64_t>& values) {
      return tensor_of<int64_t>({static_cast<int64_t>(values.size())}, values);
    };
    return _embedding_bag(weight, as_tensor(indices), as_tensor(offsets), false, 0, false,
                          kNoSampleWeights, false, -1);
  };
  EXPECT_ERROR_CONTAINS(bag({0, 3}, {0}), "IndexError",
                        "_embedding_bag: index 3 at position 1 is out of range for a weight of 3 "
                        "rows");
  EXPECT_ERROR_CONTAINS(bag({0, 1}, {1}), "RuntimeError", "offsets must begin with 0, got 1");
  EXPECT_ERROR_CONTAINS(bag({0, 1}, {0, 2, 1}), "RuntimeError",
                        "offsets must not decrease, got 1 after 2");
}

TEST(FakeWindows, KeepSymbolicSizes) {
  TestOwner owner;
  const Tensor x = symbolic(owner, {3, 8, 8});

  EXPECT_EQ(concatenate(avg_pool2d(x, {3}, {2}, {1}, true)), "float32[s0, 3, 5, 5]");
  EXPECT_EQ(concatenate(std::get<1>(max_pool2d_with_indices(x, {2}))), "int64[s0, 3, 4, 4]");
  EXPECT_EQ(concatenate(adaptive_avg_pool2d(x, {1, 7})), "float32[s0, 3, 1, 7]");
  EXPECT_EQ(concatenate(upsample_bilinear2d(x, {16, 4}, true, kNoScale, kNoScale)),
            "float32[s0, 3, 16, 4]");
  EXPECT_EQ(concatenate(im2col(x, {2, 2}, {1, 1}, {0, 0}, {2, 2})), "float32[s0, 12, 16]");
  EXPECT_EQ(concatenate(_cdist_forward(x, x, 1.0, std::nullopt)), "float32[s0, 3, 8, 8]");
  EXPECT_TRUE(owner.specialisations.empty());
}

TEST(FakeWindows, CountWindowsOfASymbolicPlane) {
  TestOwner owner;
  const SymInt width = owner.backed("s1", 9);
  const Tensor x = make_fake(std::vector<SymInt>{1, 1, 4, width}, DType::Float32, kCpu);
  const double factors[] = {2.0, 1.5};

  EXPECT_EQ(avg_pool2d(x, {3}, {1}).sym_size(3).specialise(), 7);
  EXPECT_EQ(upsample_nearest2d(x, std::nullopt, std::span(factors)).sym_size(3).specialise(), 13);
  EXPECT_TRUE(avg_pool2d(x, {3}, {1}).sym_size(3).is_symbolic());
}

}  // namespace
}  // namespace opwright
