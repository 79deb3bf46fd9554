// Pointwise operators, copies and fills on a device with loops.
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/computing_device.h"
#include "ops/device_comparison.h"
#include "ops/op_tensors.h"
#include "opwright/dispatch/call.h"
#include "opwright/dispatch/registry.h"
#include "opwright/functions.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/pinned_memory.h"

namespace opwright {
namespace {

using testing::computed;
using testing::ComputingDevice;
using testing::elements;
using testing::expect_same_on_device;
using testing::floats;
using testing::on_cpu;
using testing::range;
using testing::sizes;
using testing::tensor_of;
using testing::TestDevice;

Tensor halves(const std::vector<float>& values) {
  return tensor_of<float>({static_cast<int64_t>(values.size())}, values).to(DType::Float16);
}

// aten::mul.out, which C++ calls by name.
void write_product(const Tensor& x, const Tensor& y, Tensor& out) {
  const std::array<OpwValue, 3> args{ValueOf<Tensor>::lend(x), ValueOf<Tensor>::lend(y),
                                     ValueOf<Tensor>::lend(out)};
  OpwValue result{};
  call(Registry::get().require("aten::mul.out"), args, {&result, 1});
  release_value(result);
}

// ---- pointwise

TEST(DevicePointwise, ComputesACallInOneLoopOverJoinedDimensions) {
  const Tensor x = computed(range({2, 3}));
  ComputingDevice::loops = 0;

  const Tensor sum = x.add(x, 2);

  expect_same_on_device(sum, range({2, 3}).mul(3));
  EXPECT_EQ(ComputingDevice::loops, 1);
  EXPECT_EQ(ComputingDevice::sizes, (std::vector<int64_t>{6}));
  EXPECT_EQ(ComputingDevice::formula, "fma(a, y, x)");
}

TEST(DevicePointwise, WalksTheMemoryOfTheResultInOrder) {
  const Tensor x = range({2, 3, 4}).permute({2, 0, 1});

  expect_same_on_device(computed(x).mul(2), x.mul(2));

  EXPECT_EQ(ComputingDevice::sizes, (std::vector<int64_t>{24}));
}

TEST(DevicePointwise, Broadcasts) {
  const Tensor column = range({3, 1});
  const Tensor row = range({4});

  expect_same_on_device(computed(column).sub(computed(row)), column.sub(row));

  EXPECT_EQ(ComputingDevice::sizes, (std::vector<int64_t>{3, 4}));
}

TEST(DevicePointwise, PromotesAsTheCpuDoes) {
  const Tensor ints = tensor_of<int32_t>({3}, {1, -2, 3});
  const Tensor bools = tensor_of<bool>({3}, {true, false, true});
  const Tensor half = halves({0.5F, 1.5F, -2.0F});

  expect_same_on_device(computed(ints).add(computed(half)), ints.add(half));
  expect_same_on_device(computed(bools).add(computed(ints)), bools.add(ints));
  expect_same_on_device(computed(bools).add(computed(bools)), bools.add(bools));
  expect_same_on_device(computed(ints).div(computed(ints)), ints.div(ints));
  expect_same_on_device(computed(ints).mul(2.5), ints.mul(2.5));
  expect_same_on_device(computed(ints).lt(computed(half)), ints.lt(half));
  expect_same_on_device(computed(half).mul(computed(range({3}).to(DType::Float64))),
                        half.mul(range({3}).to(DType::Float64)));
}

TEST(DevicePointwise, RoundsHalvesAtTheStoreAndTensorsThatMeetInThem) {
  const Tensor half = halves({2049.0F, 3.0F});
  const Tensor wide = tensor_of<float>({}, {0.1F});

  expect_same_on_device(computed(half).mul(computed(wide)), half.mul(wide));
  expect_same_on_device(computed(half).maximum(computed(wide)), half.maximum(wide));
  expect_same_on_device(computed(half).add(0.1), half.add(0.1));
}

TEST(DevicePointwise, WrapsInts) {
  const Tensor bytes = tensor_of<uint8_t>({2}, {250, 10});
  const Tensor ints = tensor_of<int64_t>({1}, {std::numeric_limits<int64_t>::max()});

  expect_same_on_device(computed(bytes).add(computed(bytes)), bytes.add(bytes));
  expect_same_on_device(computed(ints).add(1), ints.add(1));
}

TEST(DevicePointwise, ReadsAZeroDimTensorOfTheCpuAsANumber) {
  const Tensor x = computed(range({3}));
  const Tensor two = tensor_of<int64_t>({}, {2});

  expect_same_on_device(x.mul(two), range({3}).mul(two));
  expect_same_on_device(two.sub(x), two.sub(range({3})));
  EXPECT_EQ(computed(two).mul(two).dtype(), DType::Int64);
}

TEST(DevicePointwise, ChoosesByATruthValue) {
  const Tensor condition = tensor_of<bool>({2, 1}, {true, false});
  const Tensor x = range({3});
  const Tensor half = halves({1, 2, 3});

  expect_same_on_device(where(computed(condition), computed(x), computed(half)),
                        where(condition, x, half));
  expect_same_on_device(where(computed(condition), computed(half), Scalar(0.1)),
                        where(condition, half, Scalar(0.1)));
}

TEST(DevicePointwise, WritesInPlace) {
  const Tensor base = computed(range({4, 4}));
  Tensor view = base.select(1, 2);
  const void* memory = base.data();

  view.add_(computed(range({4})), 10);

  EXPECT_EQ(base.data(), memory);
  EXPECT_EQ(floats(on_cpu(base).select(1, 2)), (std::vector<float>{2, 16, 30, 44}));
  EXPECT_EQ(floats(on_cpu(base).select(1, 1)), (std::vector<float>{1, 5, 9, 13}));
}

TEST(DevicePointwise, ConvertsWhatItWritesInPlace) {
  Tensor half = computed(halves({1, 2}));

  half.mul_(computed(tensor_of<float>({2}, {0.1F, 3})));

  EXPECT_EQ(half.dtype(), DType::Float16);
  EXPECT_EQ(floats(on_cpu(half).to(DType::Float32)), (std::vector<float>{0.099975586F, 6}));
}

TEST(DevicePointwise, RefusesWhatTheCpuRefusesInPlace) {
  Tensor ints = computed(tensor_of<int64_t>({2}, {1, 2}));
  Tensor repeated = computed(range({1})).expand({3});

  EXPECT_ERROR_CONTAINS(ints.add_(0.5), "TypeError", "add_");
  EXPECT_ERROR_CONTAINS(ints.add_(computed(range({3, 2}).to(DType::Int64))), "ValueError", "add_");
  EXPECT_ERROR_CONTAINS(repeated.add_(1), "RuntimeError", "add_");
}

TEST(DevicePointwise, WritesOut) {
  const Tensor x = computed(range({2, 2}));
  Tensor out = computed(range({0}));
  Tensor doubles = computed(range({2, 2}).to(DType::Float64));
  Tensor wrong = computed(range({3}));

  write_product(x, x, out);
  write_product(x, x, doubles);

  expect_same_on_device(out, range({2, 2}).mul(range({2, 2})));
  expect_same_on_device(doubles, range({2, 2}).mul(range({2, 2})).to(DType::Float64));
  EXPECT_ERROR_CONTAINS(write_product(x, x, wrong), "ValueError",
                        "mul: out of sizes [3] cannot hold a result of sizes [2, 2]");
}

TEST(DevicePointwise, AsksForNoLoopWithoutElements) {
  const Tensor x = computed(range({2, 0}));
  ComputingDevice::loops = 0;

  const Tensor sum = x.add(1);

  EXPECT_EQ(sizes(sum), (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(ComputingDevice::loops, 0);
}

TEST(DevicePointwise, ComputesEveryFormOfDivision) {
  const Tensor x = tensor_of<int64_t>({4}, {7, -7, 6, 0});
  const Tensor y = tensor_of<int64_t>({4}, {2, 2, -4, 5});

  for (const char* mode : {"floor", "trunc"})
    expect_same_on_device(computed(x).div(computed(y), mode), x.div(y, mode));
  expect_same_on_device(computed(x).remainder(computed(y)), x.remainder(y));
  expect_same_on_device(computed(x).fmod(3), x.fmod(3));
  expect_same_on_device(computed(x).floor_divide(2), x.floor_divide(2));
}

TEST(DevicePointwise, GivesNumbersToTheFormula) {
  const Tensor x = tensor_of<float>({4}, {-2, -0.5F, 0.5F, NAN});

  expect_same_on_device(computed(x).clamp(Scalar(-1), Scalar(0.25)),
                        x.clamp(Scalar(-1), Scalar(0.25)));
  expect_same_on_device(computed(x).pow(Scalar(2)), x.pow(Scalar(2)));
  expect_same_on_device(leaky_relu(computed(x), 0.1), leaky_relu(x, 0.1));
  expect_same_on_device(elu(computed(x), 2, 3, 0.5), elu(x, 2, 3, 0.5));
  expect_same_on_device(addcmul(computed(x), computed(x), computed(x), Scalar(3)),
                        addcmul(x, x, x, Scalar(3)));
}

TEST(DevicePointwise, RunsOnTheIndexAndTheStreamOfItsTensors) {
  const Tensor x = computed(range({2}), 1);
  OpwStream* own = TestDevice::stream(77);
  const StreamScope scope(x.device(), own);

  const Tensor sum = x.add(1);

  EXPECT_EQ(sum.device(), ComputingDevice::device(1));
  EXPECT_EQ(ComputingDevice::index, 1);
  EXPECT_EQ(ComputingDevice::stream, own);
}

TEST(DevicePointwise, SaysWhatHasNoFormula) {
  const Tensor x = computed(range({2}));
  const Tensor numbers = computed(range({2}).to(DType::Complex64));

  EXPECT_ERROR_CONTAINS((void)x.acos(), "NotImplementedError",
                        "acos: there is no kernel for computing:0, since operands of float32 have "
                        "no formula");
  EXPECT_ERROR_CONTAINS((void)numbers.add(numbers), "NotImplementedError",
                        "operands of complex64, complex64 have no formula");
}

TEST(DevicePointwise, SaysThatADeviceComputesNoLoops) {
  const Tensor x = range({2}).to(TestDevice::device(), DType::Float32);

  EXPECT_ERROR_CONTAINS((void)x.add(x), "NotImplementedError",
                        "add: there is no kernel for test:0, since the device computes no loops "
                        "(compute_loop)\n  Register a kernel for it; under "
                        "opwright.allow_fallback() it runs on the CPU, on copies.");
}

// ---- copies

// Runs `body` and returns how often bytes were copied.
template <class Body>
int64_t count_copies(const Body& body) {
  const int64_t before = TestDevice::counts.copies;
  body();
  return TestDevice::counts.copies - before;
}

TEST(DeviceCopy, ChangesStridesOnTheDevice) {
  const Tensor x = range({2, 3});
  const Tensor y = computed(x).t();
  Tensor dense;

  EXPECT_EQ(count_copies([&] { dense = y.contiguous(); }), 0);

  expect_same_on_device(dense, x.t().contiguous());
  EXPECT_EQ(ComputingDevice::formula, "x");
}

TEST(DeviceCopy, ConvertsOnTheDevice) {
  const Tensor x = tensor_of<float>({4}, {-1.5F, 0, 2.7F, 300});
  const Tensor y = computed(x);

  for (const DType dtype : {DType::Int64, DType::Int8, DType::Bool, DType::Float16, DType::BFloat16,
                            DType::Float64, DType::Complex64, DType::Complex128}) {
    EXPECT_EQ(count_copies([&] { expect_same_on_device(y.to(dtype), x.to(dtype)); }), 1)
        << dtype_name_or_null(dtype);
    expect_same_on_device(y.to(dtype).to(DType::Float32), x.to(dtype).to(DType::Float32));
  }
}

TEST(DeviceCopy, MovesElementsOfEveryDtypeAsTheyAre) {
  for (const DType dtype :
       {DType::Complex128, DType::Complex64, DType::UInt16, DType::BFloat16, DType::Bool}) {
    const Tensor x = range({3, 2}).to(dtype);
    Tensor target = computed(make_empty(IntList{2, 3, 2}, dtype));

    target.copy_(computed(x));

    EXPECT_TRUE(equal(on_cpu(target), x.expand({2, 3, 2}).contiguous()))
        << dtype_name_or_null(dtype);
  }
}

TEST(DeviceCopy, CountsAnImaginaryPartAsTrue) {
  const Tensor x = tensor_of<Complex<float>>({3}, {{0, 1}, {0, 0}, {2, 0}});

  expect_same_on_device(computed(x).to(DType::Bool), tensor_of<bool>({3}, {true, false, true}));
}

TEST(DeviceCopy, BringsStridedElementsToTheCpuInOneCopyOfDenseBytes) {
  const Tensor x = computed(range({4, 5}));
  Tensor column;

  EXPECT_EQ(count_copies([&] { column = on_cpu(x.select(1, 3)); }), 1);

  EXPECT_EQ(floats(column), (std::vector<float>{3, 8, 13, 18}));
}

TEST(DeviceCopy, SpreadsWhatComesFromTheCpu) {
  Tensor x = computed(range({2, 3}));

  x.t().copy_(tensor_of<int64_t>({2}, {7, 9}));

  EXPECT_EQ(floats(on_cpu(x)), (std::vector<float>{7, 7, 7, 9, 9, 9}));
}

TEST(DeviceCopy, KeepsTheOrderOfMemoryAcrossDevices) {
  const Tensor x = range({2, 3}).t();

  EXPECT_EQ(count_copies([&] { expect_same_on_device(computed(x), x); }), 2);
}

TEST(DeviceCopy, CrossesBetweenTwoOfAKindAndTwoKinds) {
  const Tensor x = computed(range({2, 3}), 0);
  const Tensor other = x.t().to(ComputingDevice::device(1), DType::Float64);
  const Tensor plain = x.t().to(TestDevice::device(), DType::Float64);

  EXPECT_EQ(other.device(), ComputingDevice::device(1));
  EXPECT_EQ(elements<double>(on_cpu(other)), (std::vector<double>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(plain.device(), TestDevice::device());
  EXPECT_EQ(elements<double>(on_cpu(plain)), (std::vector<double>{0, 3, 1, 4, 2, 5}));
}

TEST(DeviceCopy, WaitsUntilPinnedMemoryIsReadUnlessToldNotTo) {
  Tensor x = computed(range({2}));
  const Tensor pinned = make_empty_pinned(IntList{2}, IntList{1}, DType::Float32);
  const int64_t before = TestDevice::counts.synchronisations;

  x.copy_(pinned, true);
  EXPECT_EQ(TestDevice::counts.synchronisations, before);

  x.copy_(pinned);
  EXPECT_EQ(TestDevice::counts.synchronisations, before + 1);
}

TEST(DeviceCopy, FillsOnTheDevice) {
  Tensor x = computed(range({2, 2}));
  Tensor numbers = computed(range({2}).to(DType::Complex64));
  Tensor column = x.select(1, 0);

  EXPECT_EQ(count_copies([&] { column.fill_(7.5); }), 0);
  numbers.fill_(Complex<double>(1, -2));

  EXPECT_EQ(ComputingDevice::formula, "a");
  EXPECT_EQ(floats(on_cpu(x)), (std::vector<float>{7.5, 1, 7.5, 3}));
  EXPECT_EQ(elements<Complex<float>>(on_cpu(numbers)),
            (std::vector<Complex<float>>{{1, -2}, {1, -2}}));
  EXPECT_EQ(floats(on_cpu(x.zero_())), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_ERROR_CONTAINS(x.fill_(Complex<double>(1, 1)), "TypeError",
                        "fill_: the complex number 1+1j cannot be stored in self of float32");
}

}  // namespace
}  // namespace opwright
