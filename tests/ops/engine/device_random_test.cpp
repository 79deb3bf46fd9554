// Random numbers on a device that generates them: the same as on the CPU.
#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/device_comparison.h"
#include "ops/moving_device.h"
#include "ops/op_tensors.h"
#include "opwright/functions.h"
#include "opwright/runtime/runtime.h"
#include "opwright/tensor/random_state.h"

namespace opwright {
namespace {

using testing::computed;
using testing::ComputingDevice;
using testing::elements;
using testing::expect_same_on_device;
using testing::MovingDevice;
using testing::on_cpu;
using testing::range;
using testing::TestDevice;

// Runs `fill` on tensors of zeros with one seed, on the CPU and on the device.
template <class Fill>
void expect_same(DType dtype, const Fill& fill, double tolerance = 0) {
  Tensor expected = zeros({3, 67}, dtype);
  Tensor actual = computed(expected);

  seed_default_generators(5);
  fill(expected);
  const Tensor later = rand({2});
  seed_default_generators(5);
  fill(actual);
  const Tensor later_there = rand({2}, std::nullopt, std::nullopt, ComputingDevice::device());

  expect_same_on_device(actual, expected, tolerance);
  EXPECT_EQ(elements<float>(on_cpu(later_there)), elements<float>(later));
}

TEST(DeviceRandom, DrawsTheUniformNumbersOfTheCpu) {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16}) {
    expect_same(dtype, [](Tensor& x) { x.uniform_(); });
    expect_same(dtype, [](Tensor& x) { x.uniform_(-1.5, 7); }, 1e-2);
  }
  EXPECT_EQ(MovingDevice::random.count, 2);
}

TEST(DeviceRandom, DrawsTheNormalNumbersOfTheCpu) {
  expect_same(DType::Float32, [](Tensor& x) { x.normal_(3, 2); }, 1e-5);
  expect_same(DType::Float64, [](Tensor& x) { x.normal_(3, 2); }, 1e-12);
  expect_same(DType::Float16, [](Tensor& x) { x.normal_(); }, 2e-3);
}

TEST(DeviceRandom, DrawsBothPartsOfComplexNumbers) {
  Tensor expected = zeros({50}, DType::Complex64);
  Tensor actual = computed(expected);

  seed_default_generators(5);
  expected.normal_(2, 1);
  seed_default_generators(5);
  actual.normal_(2, 1);

  expect_same_on_device(actual, expected, 1e-5);
}

TEST(DeviceRandom, DrawsTheBitsOfTheCpu) {
  for (const DType dtype : {DType::Bool, DType::UInt8, DType::Float32, DType::BFloat16})
    expect_same(dtype, [](Tensor& x) { x.bernoulli_(0.3); });
  expect_same(DType::Float32, [](Tensor& x) {
    Tensor p = range({67}).div(67);
    x.bernoulli_(p.to(x.device(), DType::Float32));
  });
}

TEST(DeviceRandom, DrawsTheIntsOfTheCpu) {
  expect_same(DType::Int64, [](Tensor& x) { x.random_(-3, 60000); });
  expect_same(DType::Int64, [](Tensor& x) { x.random_(5, 70000); });
  expect_same(DType::Int64, [](Tensor& x) { x.random_(-5, int64_t{1} << 40); });
  expect_same(DType::Int64, [](Tensor& x) { x.random_(); });
  expect_same(DType::UInt8, [](Tensor& x) { x.random_(); });
  expect_same(DType::Float16, [](Tensor& x) { x.random_(100); });
}

TEST(DeviceRandom, DrawsTheOtherDistributionsOfTheCpu) {
  expect_same(DType::Float32, [](Tensor& x) { x.exponential_(2); }, 1e-5);
  expect_same(DType::Float64, [](Tensor& x) { x.exponential_(2); }, 1e-12);
  expect_same(DType::Float32, [](Tensor& x) { x.log_normal_(0, 0.5); }, 1e-5);
  expect_same(DType::Float32, [](Tensor& x) { x.cauchy_(1, 2); }, 1e-4);
  expect_same(DType::Int32, [](Tensor& x) { x.geometric_(0.2); });
}

TEST(DeviceRandom, NumbersElementsAsTheyArePrinted) {
  expect_same(DType::Float32, [](Tensor& x) { x.t().narrow(0, 1, 60).uniform_(); });
}

TEST(DeviceRandom, MakesTensorsAndDropsElements) {
  const Device device = ComputingDevice::device();
  seed_default_generators(5);
  const Tensor expected = randint(100, {8}, DType::Int64);
  const Tensor order = randperm(9);
  const Tensor dropped = dropout(ones({40}), 0.25, true);
  seed_default_generators(5);
  const Tensor drawn = randint(100, {8}, DType::Int64, std::nullopt, device);
  const Tensor permuted = randperm(9, std::nullopt, std::nullopt, device);
  const Tensor left = dropout(computed(ones({40})), 0.25, true);

  EXPECT_EQ(elements<int64_t>(on_cpu(drawn)), elements<int64_t>(expected));
  EXPECT_EQ(elements<int64_t>(on_cpu(permuted)), elements<int64_t>(order));
  EXPECT_EQ(elements<float>(on_cpu(left)), elements<float>(dropped));
}

TEST(DeviceRandom, AsksForNothingWhereThereAreNoElements) {
  Tensor nothing = computed(zeros({0}));
  MovingDevice::draws = 0;

  nothing.uniform_();

  EXPECT_EQ(MovingDevice::draws, 0);
}

TEST(DeviceRandom, HasTheErrorsOfTheCpu) {
  Tensor x = computed(zeros({2}));
  Tensor repeated = computed(zeros({1})).expand({3});

  EXPECT_ERROR_CONTAINS(x.uniform_(2, 1), "ValueError",
                        "uniform_: from must not be above to, got 2 and 1");
  EXPECT_ERROR_CONTAINS(x.bernoulli_(1.5), "ValueError",
                        "bernoulli_: p must be a probability between 0 and 1, got 1.5");
  EXPECT_ERROR_CONTAINS(repeated.normal_(), "RuntimeError", "normal_");
}

TEST(DeviceRandom, NamesWhatADeviceLacks) {
  Tensor x = zeros({2}).to(TestDevice::device(), DType::Float32);

  EXPECT_ERROR_CONTAINS(x.uniform_(), "NotImplementedError",
                        "uniform_: there is no kernel for test:0, since the device computes no "
                        "random numbers (draw_random)");
}

}  // namespace
}  // namespace opwright
