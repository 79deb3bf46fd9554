// Operators composed of device loops, and those that copy values to the CPU.
#include <array>

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
using testing::expect_same_on_device;
using testing::range;
using testing::tensor_of;
using testing::TestDevice;

TEST(DeviceMadeOfLoops, JoinsTensors) {
  const std::array<Tensor, 2> parts{range({2, 3}), range({2, 1}).add(10)};
  const std::array<Tensor, 2> twins{computed(parts[0]), computed(parts[1])};
  const int64_t before = TestDevice::counts.copies;

  const Tensor joined = cat(twins, 1);

  EXPECT_EQ(TestDevice::counts.copies, before);
  expect_same_on_device(joined, cat(parts, 1));
  expect_same_on_device(stack(std::array{twins[0], twins[0]}, 2),
                        stack(std::array{parts[0], parts[0]}, 2));
}

TEST(DeviceMadeOfLoops, CutsTriangles) {
  const Tensor x = range({2, 3, 4}).add(1);
  const Tensor bools = x.gt(0);
  Tensor written = computed(x);

  for (const int64_t diagonal : {-1, 0, 2}) {
    expect_same_on_device(tril(computed(x), diagonal), tril(x, diagonal));
    expect_same_on_device(triu(computed(x), diagonal), triu(x, diagonal));
  }
  expect_same_on_device(triu(computed(bools)), triu(bools));
  expect_same_on_device(written.tril_(), tril(x));
}

TEST(DeviceMadeOfLoops, MakesNewTensors) {
  const Device device = ComputingDevice::device();

  expect_same_on_device(arange(5, DType::Int64, std::nullopt, device), arange(5));
  expect_same_on_device(full({2, 2}, 1.5, std::nullopt, std::nullopt, device), full({2, 2}, 1.5));
  expect_same_on_device(eye(3, std::nullopt, std::nullopt, device), eye(3));
  expect_same_on_device(linspace(0, 1, 5, std::nullopt, std::nullopt, device), linspace(0, 1, 5));
  expect_same_on_device(zeros_like(computed(range({2}))), zeros_like(range({2})));
}

TEST(DeviceMadeOfLoops, FillsWhereAMaskIsTrue) {
  const Tensor x = range({2, 3});
  const Tensor mask = tensor_of<bool>({3}, {true, false, true});
  const Tensor numbers = x.to(DType::Complex64);
  Tensor column = computed(x).t();

  expect_same_on_device(computed(x).masked_fill(computed(mask), -0.5), x.masked_fill(mask, -0.5));
  expect_same_on_device(
      computed(x).masked_fill(computed(mask), computed(tensor_of<int64_t>({}, {7}))),
      x.masked_fill(mask, 7));
  expect_same_on_device(computed(numbers).masked_fill(computed(mask), Complex<double>(1, 2)),
                        numbers.masked_fill(mask, Complex<double>(1, 2)));
  EXPECT_ERROR_CONTAINS(column.masked_fill_(computed(x), 1), "TypeError",
                        "masked_fill_: mask must be of bool");
  EXPECT_ERROR_CONTAINS(column.masked_fill_(computed(mask), 1), "ValueError", "masked_fill_");
  EXPECT_ERROR_CONTAINS(column.masked_fill_(computed(mask).unsqueeze(1), Complex<double>(1, 2)),
                        "TypeError", "a complex value cannot be stored in self of float32");
}

TEST(DeviceReading, GivesNumbersToTheHost) {
  const Tensor x = computed(range({2, 2}));

  EXPECT_EQ(x.select(0, 1).select(0, 0).item().to<double>(), 2);
  EXPECT_TRUE(equal(x, computed(range({2, 2}))));
  EXPECT_FALSE(equal(x, x.add(1)));
  EXPECT_TRUE(allclose(x, x.add(1e-9)));
  EXPECT_FALSE(allclose(x, x.add(1)));
}

TEST(DeviceReading, FindsWhatIsNotZero) {
  const Tensor x = tensor_of<float>({2, 2}, {0, 3, 0.5F, 0});

  expect_same_on_device(nonzero(computed(x)), nonzero(x));
}

}  // namespace
}  // namespace opwright
