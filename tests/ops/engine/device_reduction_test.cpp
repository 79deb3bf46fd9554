// Reductions on a device that computes them.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/computing_device.h"
#include "ops/device_comparison.h"
#include "ops/op_tensors.h"
#include "opwright/functions.h"

namespace opwright {
namespace {

using testing::computed;
using testing::ComputingDevice;
using testing::elements;
using testing::expect_same_on_device;
using testing::on_cpu;
using testing::range;
using testing::sizes;
using testing::tensor_of;
using testing::TestDevice;
using IntDims = std::vector<int64_t>;  // not a number: var and std have an overload for a bool

TEST(DeviceFold, SumsAllElementsInOneFold) {
  const Tensor x = computed(range({2, 3, 4}));
  ComputingDevice::folds = 0;

  expect_same_on_device(x.sum(), range({2, 3, 4}).sum());

  EXPECT_EQ(ComputingDevice::folds, 1);
  EXPECT_EQ(ComputingDevice::sizes, (std::vector<int64_t>{1, 24}));
}

TEST(DeviceFold, JoinsKeptAndFoldedDimensions) {
  const Tensor x = range({2, 3, 4, 5});

  expect_same_on_device(computed(x).sum({2, 3}), x.sum({2, 3}));

  EXPECT_EQ(ComputingDevice::sizes, (std::vector<int64_t>{6, 20}));
}

TEST(DeviceFold, FoldsAnyDimensionsOfAnyStrides) {
  const Tensor x = range({2, 3, 4}).permute({1, 2, 0});

  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{0}, {1}, {2}, {0, 2}, {1, 2}, {-1, 0}, {0, 1, 2}}) {
    for (const bool keepdim : {false, true}) {
      expect_same_on_device(computed(x).sum(dims, keepdim), x.sum(dims, keepdim));
      expect_same_on_device(computed(x).amax(dims, keepdim), x.amax(dims, keepdim));
      expect_same_on_device(computed(x).mean(dims, keepdim), x.mean(dims, keepdim));
    }
  }
}

TEST(DeviceFold, ComputesInTheDtypesOfTheCpu) {
  const Tensor ints = tensor_of<int32_t>({3}, {1, 2, 3});
  const Tensor bools = tensor_of<bool>({3}, {true, false, true});
  const Tensor half = range({2048}).to(DType::Float16);

  expect_same_on_device(computed(ints).sum(), ints.sum());
  expect_same_on_device(computed(ints).prod(), ints.prod());
  expect_same_on_device(computed(bools).sum(), bools.sum());
  expect_same_on_device(computed(bools).amax({}, false), bools.amax({}, false));
  expect_same_on_device(computed(half).mean(), half.mean());
  expect_same_on_device(computed(ints).mean(DType::Float32), ints.mean(DType::Float32));
  expect_same_on_device(computed(range({3})).sum(DType::Bool), range({3}).sum(DType::Bool));
  expect_same_on_device(computed(range({2048})).sum(DType::BFloat16),
                        range({2048}).sum(DType::BFloat16));
}

TEST(DeviceFold, FindsTheFirstOfTheLargestAndSmallest) {
  const Tensor x = tensor_of<float>({2, 4}, {1, 5, 5, 0, 2, NAN, 7, NAN});
  const auto [values, indices] = computed(x).max(1, false);
  const auto [least, places] = computed(x).min(0, true);

  expect_same_on_device(values, tensor_of<float>({2}, {5, NAN}));
  EXPECT_EQ(elements<int64_t>(on_cpu(indices)), (std::vector<int64_t>{1, 1}));
  expect_same_on_device(least, tensor_of<float>({1, 4}, {1, NAN, 5, NAN}));
  EXPECT_EQ(elements<int64_t>(on_cpu(places)), (std::vector<int64_t>{0, 1, 0, 1}));
}

TEST(DeviceFold, NumbersElementsInTheirOrder) {
  const Tensor x = tensor_of<float>({2, 3}, {1, 2, 3, 9, 5, 6}).t();

  EXPECT_EQ(elements<int64_t>(on_cpu(computed(x).argmax())), (std::vector<int64_t>{1}));
  EXPECT_EQ(elements<int64_t>(on_cpu(computed(x).argmax(0))), (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(elements<int64_t>(on_cpu(computed(x).argmin(1))), (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(sizes(computed(x).argmax(std::nullopt, true)), sizes(x.argmax(std::nullopt, true)));
}

TEST(DeviceFold, TellsWhetherAnyOrAllAreTrue) {
  const Tensor x = tensor_of<float>({2, 2}, {0, 0.25F, 0, 0});
  const Tensor bytes = tensor_of<uint8_t>({2}, {0, 3});

  expect_same_on_device(computed(x).any(1), x.any(1));
  expect_same_on_device(computed(x).all(), x.all());
  expect_same_on_device(computed(x.to(DType::Float16)).any(), x.any());
  expect_same_on_device(computed(bytes).any(), bytes.any());
}

TEST(DeviceFold, ComputesVariancesAndTheirRoots) {
  const Tensor x = range({3, 4});
  const Tensor half = x.to(DType::Float16);

  expect_same_on_device(computed(x).var(IntList{1}, true, false), x.var(IntList{1}, true, false));
  expect_same_on_device(opwright::std(computed(x), {0}, Scalar(0), true),
                        opwright::std(x, {0}, Scalar(0), true));
  expect_same_on_device(opwright::std(computed(half), IntDims{0}), opwright::std(half, IntDims{0}));
  expect_same_on_device(computed(x).var(std::nullopt, Scalar(100)),
                        x.var(std::nullopt, Scalar(100)));
}

TEST(DeviceFold, ComputesNormsOfEveryOrder) {
  const Tensor x = tensor_of<float>({2, 3}, {1, -2, 3, 0, 5, -6});

  for (const double order : {0.0, 1.0, 2.0, 3.0, std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity()})
    expect_same_on_device(linalg_vector_norm(computed(x), order, IntList{1}),
                          linalg_vector_norm(x, order, IntList{1}));
}

TEST(DeviceFold, ComputesWhatIsMadeOfFolds) {
  const Tensor x = range({2, 3});

  expect_same_on_device(logsumexp(computed(x), {1}), logsumexp(x, {1}));
  expect_same_on_device(count_nonzero(computed(x)), count_nonzero(x));
  expect_same_on_device(std::get<0>(var_mean(computed(x), IntDims{1})),
                        std::get<0>(var_mean(x, IntDims{1})));
}

TEST(DeviceFold, GivesTheValueOfNothing) {
  const Tensor x = range({2, 0});
  ComputingDevice::folds = 0;

  expect_same_on_device(computed(x).sum({1}), x.sum({1}));
  expect_same_on_device(computed(x).prod(1), x.prod(1));
  expect_same_on_device(computed(x).mean({1}), x.mean({1}));
  expect_same_on_device(computed(x).any(1), x.any(1));
  expect_same_on_device(computed(x).all(1), x.all(1));
  expect_same_on_device(opwright::std(computed(x), IntDims{1}), opwright::std(x, IntDims{1}));
  expect_same_on_device(computed(x).sum({0}), x.sum({0}));
  expect_same_on_device(linalg_vector_norm(computed(x), 2, IntList{1}),
                        linalg_vector_norm(x, 2, IntList{1}));
  EXPECT_EQ(ComputingDevice::folds, 0);
}

TEST(DeviceFold, RefusesWhatTheCpuRefuses) {
  const Tensor x = computed(range({2, 0}));

  EXPECT_ERROR_CONTAINS((void)x.amax({1}), "IndexError",
                        "amax: dimension 1 of self with sizes [2, 0] has no elements");
  EXPECT_ERROR_CONTAINS((void)x.argmax(1), "IndexError", "argmax: dimension 1");
  EXPECT_ERROR_CONTAINS((void)x.sum({2}), "IndexError", "sum");
}

TEST(DeviceFold, SaysWhatHasNoFold) {
  const Tensor plain = range({2}).to(TestDevice::device(), DType::Float32);

  EXPECT_ERROR_CONTAINS((void)plain.sum(), "NotImplementedError",
                        "sum: there is no kernel for test:0, since the device computes no folds "
                        "(compute_fold)");
  EXPECT_ERROR_CONTAINS((void)computed(range({2}).to(DType::Complex64)).sum(),
                        "NotImplementedError", "since devices cannot reduce complex64");
}

}  // namespace
}  // namespace opwright
