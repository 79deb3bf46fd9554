// The states of reductions, merged as blocks and lanes merge them, against the core's reductions.
#include "devices/cuda/kernels/fold_state.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "ops/op_tensors.h"
#include "opwright/functions.h"

namespace opwright::cuda {
namespace {

using opwright::testing::tensor_of;

// Lane l takes every eighth element from l on; lanes are merged as a tree, last ones first.
template <class F>
typename F::State fold_in_lanes(const std::vector<typename F::Value>& values) {
  constexpr size_t kLanes = 8;
  std::vector<typename F::State> lanes(kLanes, F::identity());
  for (size_t i = 0; i < values.size(); ++i)
    lanes[i % kLanes] = F::step(lanes[i % kLanes], values[i], static_cast<int64_t>(i));
  for (size_t distance = kLanes / 2; distance > 0; distance /= 2) {
    for (size_t lane = 0; lane < distance; ++lane)
      lanes[lane] = F::merge(lanes[lane], lanes[lane + distance]);
  }
  return lanes[0];
}

template <class F>
auto result_of(const std::vector<typename F::Value>& values, double number = 0) {
  return F::finish(fold_in_lanes<F>(values), {static_cast<double>(values.size()), number});
}

std::vector<float> some_floats(size_t count) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(static_cast<int>(i * 37 % 101) - 50) * 0.125F);
  return values;
}
Tensor as_tensor(const std::vector<float>& values) {
  return tensor_of<float>({static_cast<int64_t>(values.size())}, values);
}

class FoldState : public ::testing::TestWithParam<size_t> {};

TEST_P(FoldState, SumsAndMeansAreTheCores) {
  const std::vector<float> values = some_floats(GetParam());

  EXPECT_FLOAT_EQ(result_of<SumFold<float>>(values), as_tensor(values).sum().item().to<float>());
  EXPECT_FLOAT_EQ(result_of<MeanFold<float>>(values), as_tensor(values).mean().item().to<float>());
}

TEST_P(FoldState, VariancesAreTheCores) {
  const std::vector<float> values = some_floats(GetParam());
  const Tensor expected = var(as_tensor(values), std::nullopt, Scalar(1), false);

  const float actual = result_of<VarianceFold<float>>(values, 1);

  if (std::isnan(expected.item().to<float>()))
    EXPECT_TRUE(std::isnan(actual));
  else
    EXPECT_FLOAT_EQ(actual, expected.item().to<float>());
}

TEST_P(FoldState, ExtremaAreTheFirstOfTheirKind) {
  const std::vector<float> values = some_floats(GetParam());
  const Found<float> largest = fold_in_lanes<LargestFold<float>>(values);
  const Found<float> smallest = fold_in_lanes<SmallestFold<float>>(values);

  EXPECT_EQ(largest.value, as_tensor(values).max().item().to<float>());
  EXPECT_EQ(largest.number, as_tensor(values).argmax().item().to<int64_t>());
  EXPECT_EQ(smallest.value, as_tensor(values).min().item().to<float>());
  EXPECT_EQ(smallest.number, as_tensor(values).argmin().item().to<int64_t>());
}

TEST_P(FoldState, NormsAreTheCores) {
  const std::vector<float> values = some_floats(GetParam());

  EXPECT_FLOAT_EQ((result_of<NormFold<float, 2>>(values)),
                  linalg_vector_norm(as_tensor(values), 2).item().to<float>());
  EXPECT_FLOAT_EQ((result_of<NormFold<float, 1>>(values)),
                  linalg_vector_norm(as_tensor(values), 1).item().to<float>());
}

INSTANTIATE_TEST_SUITE_P(Sizes, FoldState, ::testing::Values(1, 2, 7, 8, 9, 64, 1000));

TEST(FoldStates, ANotANumberIsBeyondAllAndTheFirstIsFound) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values = {1, 9, nan, 3, nan, 12, -4, 0, 5, nan};

  EXPECT_EQ(fold_in_lanes<LargestFold<float>>(values).number, 2);
  EXPECT_EQ(fold_in_lanes<SmallestFold<float>>(values).number, 2);
}

TEST(FoldStates, OfInfiniteElementsTheFirstIsFound) {
  const float low = -std::numeric_limits<float>::infinity();

  EXPECT_EQ(fold_in_lanes<LargestFold<float>>({low, low, low}).number, 0);
}

TEST(FoldStates, SumsAndProductsOfIntsWrap) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

  EXPECT_EQ(result_of<SumFold<int64_t>>({kMost, 1}), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(result_of<ProductFold<int64_t>>({kMost, 2}), -2);
}

TEST(FoldStates, TruthsAreFoundInEveryLane) {
  EXPECT_TRUE(result_of<TruthFold<false>>({false, false, false, true}));
  EXPECT_FALSE(result_of<TruthFold<false>>({false, false}));
  EXPECT_FALSE(result_of<TruthFold<true>>({true, true, false, true}));
  EXPECT_TRUE(result_of<TruthFold<true>>({true, true}));
}

}  // namespace
}  // namespace opwright::cuda
