// Covers: src/ops/rule/*.
#include <array>
#include <optional>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/tensor/factory.h"
#include "symbolic/test_owner.h"

namespace opwright {
namespace {

using testing::floats;
using testing::range;
using testing::tensor_of;
using testing::TestOwner;

const std::optional<Tensor> kNoTensor;
constexpr std::array<bool, 3> kAll{true, true, true};

TEST(OutputMask, LeavesGradientsOut) {
  const Tensor one = full({2, 1}, 1.0F);
  const std::array<bool, 3> mask{false, false, true};

  const auto [of_input, of_weight, of_bias] = native_layer_norm_backward(
      range({2, 3}), range({2, 3}), {3}, one, one, full({3}, 1.0F), full({3}, 1.0F), mask);

  EXPECT_FALSE(of_input.is_defined());
  EXPECT_FALSE(of_weight.is_defined());
  EXPECT_EQ(floats(of_bias), (std::vector<float>{3, 5, 7}));
}

TEST(LayerNormBackward, RefusesStatisticsOfOtherSizes) {
  EXPECT_ERROR_CONTAINS(
      native_layer_norm_backward(range({2, 3}), range({2, 3}), {3}, range({2}), range({2}),
                                 kNoTensor, kNoTensor, kAll),
      "RuntimeError",
      "native_layer_norm_backward: mean (float32[2]) and rstd (float32[2]) must have the sizes of "
      "input with 1 in place of normalized_shape [3]");
}

TEST(BatchNormBackward, NeedsSavedStatisticsInTraining) {
  EXPECT_ERROR_CONTAINS(
      native_batch_norm_backward(range({2, 3}), range({2, 3}), kNoTensor, kNoTensor, kNoTensor,
                                 kNoTensor, kNoTensor, true, 1e-5, kAll),
      "RuntimeError",
      "native_batch_norm_backward: with train save_mean and save_invstd are needed");
}

TEST(EmbeddingBackward, RefusesAnIndexOutOfRange) {
  EXPECT_ERROR_CONTAINS(
      embedding_dense_backward(range({1, 2}), tensor_of<int64_t>({1}, {4}), 3, -1, false),
      "IndexError", "embedding_dense_backward: index 4 is out of range for 3 rows of the weight");
}

TEST(ActivationBackward, RefusesResultsThatDoNotTellTheSlope) {
  EXPECT_ERROR_CONTAINS(
      leaky_relu_backward(range({2}), range({2}), -0.5, true), "RuntimeError",
      "leaky_relu_backward: with a negative slope the result does not determine the "
      "slope, got negative_slope = -0.5");
  EXPECT_ERROR_CONTAINS(elu_backward(range({2}), -1, 1, 1, true, range({2})), "RuntimeError",
                        "elu_backward: with a negative alpha the result does not determine the "
                        "slope");
}

TEST(Shrink, RefusesANegativeLambd) {
  EXPECT_ERROR_CONTAINS(softshrink(range({2}), -1), "RuntimeError",
                        "softshrink: lambd must not be negative, got -1");
}

TEST(Glu, RefusesAnOddSize) {
  EXPECT_ERROR_CONTAINS(glu(range({2, 3}), 1), "RuntimeError",
                        "glu: dimension 1 of self (float32[2, 3]) must have an even size");
}

TEST(IndexAdd, RefusesASourceThatDoesNotFit) {
  EXPECT_ERROR_CONTAINS(
      range({4, 2}).index_add(0, tensor_of<int64_t>({1}, {1}), range({2, 2})), "RuntimeError",
      "index_add_: source (float32[2, 2]) must have the sizes of self (float32[4, 2]) with the "
      "number of indices (int64[1]) in dimension 0");
}

TEST(FakeGradients, KeepSymbolicSizes) {
  TestOwner owner;
  const SymInt batch = owner.backed("s0", 5);
  const Tensor x = make_fake(std::vector<SymInt>{batch, 4}, DType::Float32, kCpu);
  const Tensor one = make_fake(std::vector<SymInt>{batch, 1}, DType::Float32, kCpu);
  const Tensor indices = make_fake(std::vector<SymInt>{batch}, DType::Int64, kCpu);
  const Tensor channels = make_fake(std::vector<SymInt>{4}, DType::Float32, kCpu);

  const auto of_rows = native_layer_norm_backward(x, x, {4}, one, one, channels, channels, kAll);
  EXPECT_EQ(concatenate(std::get<0>(of_rows), " ", std::get<1>(of_rows)),
            "float32[s0, 4] float32[4]");
  const auto of_groups =
      native_group_norm_backward(x, x, one, one, kNoTensor, batch, 4, 1, 1, kAll);
  EXPECT_EQ(concatenate(std::get<0>(of_groups)), "float32[s0, 4]");
  EXPECT_EQ(concatenate(std::get<2>(native_batch_norm_backward(
                x, x, kNoTensor, kNoTensor, kNoTensor, channels, channels, true, 1e-5, kAll))),
            "float32[4]");
  EXPECT_EQ(concatenate(_softmax_backward_data(x, x, 1, DType::Float32)), "float32[s0, 4]");
  EXPECT_EQ(concatenate(embedding_dense_backward(x, indices, batch, -1, false)), "float32[s0, 4]");
  EXPECT_EQ(concatenate(gelu_backward(x, x)), "float32[s0, 4]");
  EXPECT_EQ(concatenate(glu(x, 1)), "float32[s0, 2]");
  EXPECT_EQ(concatenate(layer_norm(x, {4})), "float32[s0, 4]");
  EXPECT_EQ(concatenate(rms_norm(x, {4})), "float32[s0, 4]");
  EXPECT_EQ(concatenate(linalg_vector_norm(x, 2, {1})), "float32[s0]");
  EXPECT_EQ(concatenate(x.logsumexp({1})), "float32[s0]");
  EXPECT_EQ(concatenate(x.cumprod(0)), "float32[s0, 4]");
  EXPECT_EQ(concatenate(x.tril()), "float32[s0, 4]");
  EXPECT_TRUE(owner.specialisations.empty());
}

}  // namespace
}  // namespace opwright
