// Covers: src/ops/normalization/*.
#include <optional>

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

const std::optional<Tensor> kNoParameter;

TEST(Softmax, OfLargeNumbersDoesNotOverflow) {
  EXPECT_EQ(floats(_softmax(full({2, 2}, 1e30F), 1, false)),
            (std::vector<float>{0.5, 0.5, 0.5, 0.5}));
}

TEST(Softmax, RefusesIntsAndConversion) {
  EXPECT_ERROR_CONTAINS(_softmax(tensor_of<int64_t>({1}, {1}), 0, false), "TypeError",
                        "_softmax: dtype int64 is not supported; it takes floating dtypes");
  EXPECT_ERROR_CONTAINS(_softmax(range({2}), 0, true), "RuntimeError",
                        "_softmax: half_to_float is not supported on the CPU; convert self first");
}

TEST(LayerNorm, RefusesShapesThatDoNotFit) {
  EXPECT_ERROR_CONTAINS(native_layer_norm(range({2, 3}), {2}, kNoParameter, kNoParameter, 1e-5),
                        "RuntimeError",
                        "native_layer_norm: input of sizes [2, 3] does not end with "
                        "normalized_shape [2]");
  EXPECT_ERROR_CONTAINS(native_layer_norm(range({2, 3}), {3}, range({2}), kNoParameter, 1e-5),
                        "RuntimeError",
                        "native_layer_norm: weight of sizes [2] does not have normalized_shape "
                        "[3]");
}

TEST(LayerNorm, RefusesMixedDTypes) {
  EXPECT_ERROR_CONTAINS(
      native_layer_norm(range({2, 3}), {3}, full({3}, 1, DType::Float64), kNoParameter, 1e-5),
      "TypeError", "native_layer_norm: weight of float64 does not go with input of float32");
}

TEST(GroupNorm, RefusesGroupsThatDoNotDivideTheChannels) {
  EXPECT_ERROR_CONTAINS(
      native_group_norm(range({2, 4}), kNoParameter, kNoParameter, 2, 4, 1, 3, 1e-5),
      "RuntimeError",
      "native_group_norm: C = 4 channels cannot be divided among group = 3 "
      "groups");
}

TEST(BatchNorm, UpdatesRunningStatistics) {
  Tensor mean = full({1}, 1.0F);
  Tensor variance = full({1}, 1.0F);

  const auto [y, saved_mean, saved_reciprocal] =
      _native_batch_norm_legit(tensor_of<float>({4, 1}, {1, 2, 3, 4}), kNoParameter, kNoParameter,
                               mean, variance, true, 0.5, 0.0);

  EXPECT_EQ(floats(mean), (std::vector<float>{1.75}));
  EXPECT_FLOAT_EQ(floats(variance)[0], 0.5F + 0.5F * 5 / 3);
  EXPECT_EQ(floats(saved_mean), (std::vector<float>{2.5}));
  EXPECT_FLOAT_EQ(floats(y)[3], 1.3416408F);
}

TEST(BatchNorm, NeedsRunningStatisticsWithoutTraining) {
  EXPECT_ERROR_CONTAINS(
      _native_batch_norm_legit(range({2, 3}), kNoParameter, kNoParameter, false, 0.1, 1e-5),
      "RuntimeError",
      "without training the running statistics are needed; give running_mean "
      "and running_var");
}

TEST(FakeNorms, KeepSymbolicSizes) {
  TestOwner owner;
  const SymInt batch = owner.backed("s0", 5);
  const Tensor fake = make_fake(std::vector<SymInt>{batch, 4, 6}, DType::Float32, kCpu);

  const auto [y, mean, reciprocal] =
      native_layer_norm(fake, {4, 6}, kNoParameter, kNoParameter, 1e-5);

  EXPECT_EQ(concatenate(_softmax(fake, 1, false)), "float32[s0, 4, 6]");
  EXPECT_EQ(concatenate(y, " ", mean), "float32[s0, 4, 6] float32[s0, 1, 1]");
  EXPECT_EQ(concatenate(std::get<1>(
                native_group_norm(fake, kNoParameter, kNoParameter, batch, 4, 6, 2, 1e-5))),
            "float32[s0, 2]");
  EXPECT_EQ(concatenate(std::get<1>(
                _native_batch_norm_legit(fake, kNoParameter, kNoParameter, true, 0.1, 1e-5))),
            "float32[4]");
  EXPECT_TRUE(owner.specialisations.empty());
}

}  // namespace
}  // namespace opwright
