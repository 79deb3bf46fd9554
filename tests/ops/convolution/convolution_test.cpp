// Covers: src/ops/convolution/*.
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
using testing::kNumberDTypes;
using testing::range;
using testing::sizes;
using testing::strides;
using testing::TestOwner;

const std::optional<Tensor> kNoBias;
// {0} could also be the name of a padding.
const std::vector<SymInt> kNoPadding{0};

Tensor convolve_plainly(const Tensor& input, const Tensor& weight) {
  return convolution(input, weight, kNoBias, {1, 1}, {0, 0}, {1, 1}, false, {0, 0}, 1);
}

TEST(Convolution, SumsProductsOfWeightsAndNeighbours) {
  const Tensor image = range({1, 1, 3, 3});

  EXPECT_EQ(floats(convolve_plainly(image, ones({1, 1, 2, 2}))),
            (std::vector<float>{8, 12, 20, 24}));
}

TEST(Convolution, AddsABiasToEveryChannel) {
  const Tensor result = conv2d(range({1, 1, 2, 2}), ones({2, 1, 2, 2}), range({2}));

  EXPECT_EQ(floats(result), (std::vector<float>{6, 7}));
}

TEST(Convolution, PadsStridesAndDilates) {
  const Tensor row = range({1, 1, 5});
  const Tensor weight = ones({1, 1, 2});

  EXPECT_EQ(floats(conv1d(row, weight, kNoBias, {1}, {1})), (std::vector<float>{0, 1, 3, 5, 7, 4}));
  EXPECT_EQ(floats(conv1d(row, weight, kNoBias, {2})), (std::vector<float>{1, 5}));
  EXPECT_EQ(floats(conv1d(row, weight, kNoBias, {1}, kNoPadding, {3})), (std::vector<float>{3, 5}));
}

TEST(Convolution, KeepsGroupsApart) {
  const Tensor result = conv1d(range({1, 2, 2}), ones({2, 1, 2}), kNoBias, {1}, kNoPadding, {1}, 2);

  EXPECT_EQ(floats(result), (std::vector<float>{1, 5}));
}

TEST(Convolution, TransposedSpreadsEveryElement) {
  const Tensor row = range({1, 1, 3});
  const Tensor weight = ones({1, 1, 2});

  EXPECT_EQ(floats(conv_transpose1d(row, weight)), (std::vector<float>{0, 1, 3, 2}));
  EXPECT_EQ(floats(conv_transpose1d(row, weight, kNoBias, {3}, {0}, {1})),
            (std::vector<float>{0, 0, 0, 1, 1, 0, 2, 2, 0}));
}

TEST(Convolution, WorksInEveryDType) {
  for (const DType dtype : kNumberDTypes) {
    SCOPED_TRACE(dtype_name_or_null(dtype));
    const Tensor result =
        convolve_plainly(full({1, 2, 2, 2}, 2, dtype), full({2, 2, 2, 2}, 1, dtype));

    EXPECT_EQ(result.dtype(), dtype);
    EXPECT_EQ(elements<bool>(eq(result, 16)), (std::vector<bool>{true, true}));
  }
}

TEST(Convolution, KeepsChannelsLast) {
  const Tensor image = ones({2, 3, 4, 4}).contiguous(MemoryFormat::ChannelsLast);

  EXPECT_EQ(strides(convolve_plainly(image, ones({5, 3, 3, 3}))),
            (std::vector<int64_t>{20, 1, 10, 5}));
}

TEST(Convolution, SamePaddingKeepsTheSizes) {
  const Tensor weight = ones({1, 1, 2, 3});

  const Tensor result = conv2d(range({1, 1, 4, 5}), weight, kNoBias, {1}, "same");

  EXPECT_EQ(sizes(result), (std::vector<int64_t>{1, 1, 4, 5}));
  EXPECT_ERROR_CONTAINS(conv2d(range({1, 1, 4, 5}), weight, kNoBias, {2}, "same"), "RuntimeError",
                        "conv2d: padding 'same' needs a stride of 1, got [2]");
}

TEST(Convolution, OfNoImagesOrChannelsIsDefined) {
  EXPECT_EQ(sizes(convolve_plainly(ones({0, 2, 3, 3}), ones({4, 2, 2, 2}))),
            (std::vector<int64_t>{0, 4, 2, 2}));
  EXPECT_EQ(floats(convolve_plainly(ones({1, 0, 2, 2}), ones({1, 0, 2, 2}))),
            (std::vector<float>{0}));
}

TEST(Convolution, NamesWhatDoesNotFit) {
  const Tensor image = ones({1, 2, 3, 3});
  EXPECT_ERROR_CONTAINS(
      convolve_plainly(image, ones({4, 3, 2, 2})), "RuntimeError",
      "convolution: weight of sizes [4, 3, 2, 2] with 1 group requires an input of 3 channels, got "
      "input of sizes [1, 2, 3, 3]");
  EXPECT_ERROR_CONTAINS(convolve_plainly(image, ones({4, 2, 5, 2})), "RuntimeError",
                        "convolution: the kernel must not be larger than the padded input");
  EXPECT_ERROR_CONTAINS(
      convolve_plainly(image, ones({4, 2, 2, 2}, DType::Float64)), "TypeError",
      "convolution: input and weight must have one dtype, got float32 and float64");
  EXPECT_ERROR_CONTAINS(convolve_plainly(ones({2, 3, 3}), ones({4, 2, 2, 2})), "RuntimeError",
                        "convolution: input must have 4 dimensions, as weight has");
  EXPECT_ERROR_CONTAINS(conv2d(image, ones({4, 2, 2, 2}), kNoBias, {0}), "RuntimeError",
                        "convolution: stride must be at least 1, got [0, 0]");
  EXPECT_ERROR_CONTAINS(conv2d(image, ones({4, 2, 2, 2}), kNoBias, {1}, {-1}), "RuntimeError",
                        "convolution: padding must be at least 0, got [-1, -1]");
  EXPECT_ERROR_CONTAINS(conv2d(image, ones({4, 2, 2, 2}), ones({3})), "RuntimeError",
                        "convolution: bias must have the sizes [4], got [3]");
  EXPECT_ERROR_CONTAINS(conv_transpose2d(image, ones({2, 1, 2, 2}), kNoBias, {1}, {0}, {1}),
                        "RuntimeError",
                        "convolution: output_padding must be smaller than stride or dilation");
  EXPECT_ERROR_CONTAINS(
      convolution(image, ones({4, 2, 2, 2}), kNoBias, {1, 1}, {0, 0}, {1, 1}, false, {1, 0}, 1),
      "RuntimeError", "convolution: output_padding is for transposed convolutions, got [1, 0]");
  EXPECT_ERROR_CONTAINS(conv_transpose2d(image, ones({2, 1, 1, 1}), kNoBias, {1}, {2}),
                        "RuntimeError", "convolution: padding [2, 2] leaves nothing of the result");
}

TEST(Convolution, RefusesABorderBeyondAllMemory) {
  const int64_t most = std::numeric_limits<int32_t>::max();
  EXPECT_ERROR_CONTAINS(conv3d(ones({1, 1, 3, 3, 3}), ones({1, 1, 1, 1, 1}), kNoBias,
                               {most, most, most}, {most, most, most}),
                        "OverflowError", "");
  EXPECT_ERROR_CONTAINS(conv1d(ones({1, 1, 3}), ones({1, 1, 1}), kNoBias, {most + 1}, {most + 1}),
                        "ValueError",
                        "convolution: stride must be at most 2147483647, got [2147483648]");
}

TEST(Convolution, FakeHasTheShapeOfTheResult) {
  const FakeTensor image = empty<FakeTensor>(
      {2, 3, 8, 9}, DType::Float32, {}, Device(kOpwDeviceMeta), {}, MemoryFormat::ChannelsLast);
  const FakeTensor weight =
      empty<FakeTensor>({6, 3, 3, 3}, DType::Float32, {}, Device(kOpwDeviceMeta));

  const FakeTensor result = conv2d(image, weight, std::nullopt, {2, 2}, {1, 1});

  EXPECT_EQ(result.sizes(), (std::vector<SymInt>{2, 6, 4, 5}));
  EXPECT_EQ(result.strides(), (std::vector<SymInt>{120, 1, 30, 6}));
}

TEST(Convolution, FakeKeepsSymbolicSizes) {
  TestOwner owner;
  const SymInt batch = owner.backed("s0", 5);
  const SymInt width = owner.backed("s1", 9);
  const Tensor image = make_fake(std::vector<SymInt>{batch, 3, 8, width}, DType::Float32, kCpu);
  const Tensor weight = make_fake(std::vector<SymInt>{6, 3, 3, 3}, DType::Float32, kCpu);

  const Tensor result =
      convolution(image, weight, kNoBias, {1, 1}, {1, 1}, {1, 1}, false, {0, 0}, 1);

  EXPECT_EQ(concatenate(result), "float32[s0, 6, 8, s1 + -1 + 1]");
  EXPECT_TRUE(owner.specialisations.empty());
}

TEST(ConvolutionBackward, GivesTheGradientsThatAreAskedFor) {
  const Tensor image = range({1, 1, 3});
  const bool wanted[] = {true, true, false};

  const auto [of_image, of_weight, of_bias] = convolution_backward(
      ones({1, 1, 2}), image, ones({1, 1, 2}), std::nullopt, {1}, {0}, {1}, false, {0}, 1, wanted);

  EXPECT_EQ(floats(of_image), (std::vector<float>{1, 2, 1}));
  EXPECT_EQ(floats(of_weight), (std::vector<float>{1, 3}));
  EXPECT_FALSE(of_bias.is_defined());
}

TEST(ConvolutionBackward, NamesAGradientOfOtherSizes) {
  const bool wanted[] = {true, true, true};
  EXPECT_ERROR_CONTAINS(convolution_backward(ones({1, 1, 3}), range({1, 1, 3}), ones({1, 1, 2}),
                                             std::nullopt, {1}, {0}, {1}, false, {0}, 1, wanted),
                        "RuntimeError",
                        "convolution_backward: grad_output must have the sizes [1, 1, 2] of the "
                        "result, got [1, 1, 3]");
}

}  // namespace
}  // namespace opwright
