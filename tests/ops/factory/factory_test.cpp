// Covers: src/ops/factory/*.
#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "ops/op_tensors.h"
#include "opwright/fake_tensor.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::elements;
using testing::floats;
using testing::range;
using testing::tensor_of;
using testing::TestDevice;

TEST(Empty, HasTheSizesAndDTypeThatAreAskedFor) {
  const Tensor x = empty({2, 3}, DType::Int16);

  EXPECT_EQ(testing::sizes(x), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(testing::strides(x), (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(x.dtype(), DType::Int16);
  EXPECT_EQ(empty({2}).dtype(), DType::Float32);
}

TEST(Empty, TakesAMemoryFormat) {
  const Tensor x = empty({2, 3, 4, 5}, {}, {}, {}, {}, MemoryFormat::ChannelsLast);

  EXPECT_EQ(testing::strides(x), (std::vector<int64_t>{60, 1, 15, 3}));
  EXPECT_ERROR_CONTAINS(empty({2}, {}, {}, {}, {}, MemoryFormat::Preserve), "ValueError",
                        "empty: there is no tensor whose memory format could be preserved");
}

TEST(Empty, OnMetaIsFake) {
  const FakeTensor x = empty<FakeTensor>({2, 3}, DType::Float64, {}, Device(kOpwDeviceMeta));

  EXPECT_TRUE(x.size(1) == 3);
  EXPECT_TRUE(empty_like(x).stride(0) == 3);
}

TEST(Empty, RefusesWhatItCannotDo) {
  EXPECT_ERROR_CONTAINS(empty({-1}), "ValueError", "size -1 of dimension 0 is negative");
  EXPECT_ERROR_CONTAINS(empty({2}, {}, {}, Device(kOpwDeviceXla), true), "RuntimeError",
                        "empty: only memory of the cpu is pinned, got xla; omit pin_memory");
}

TEST(EmptyStrided, HasTheStridesThatAreGiven) {
  EXPECT_EQ(testing::strides(empty_strided({2, 3}, {1, 2})), (std::vector<int64_t>{1, 2}));
}

TEST(EmptyLike, KeepsTheOrderOfDimensions) {
  const Tensor x = range({2, 3}).t();

  EXPECT_EQ(testing::strides(empty_like(x)), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(testing::strides(empty_like(x, {}, {}, {}, {}, MemoryFormat::Contiguous)),
            (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(empty_like(x, DType::Bool).dtype(), DType::Bool);
}

TEST(Full, TakesItsDTypeFromTheNumber) {
  EXPECT_EQ(full({2}, 3).dtype(), DType::Int64);
  EXPECT_EQ(full({2}, true).dtype(), DType::Bool);
  EXPECT_EQ(full({2}, 1.5).dtype(), DType::Float32);
  EXPECT_EQ(full({2}, Complex<double>(0, 1)).dtype(), DType::Complex64);
  EXPECT_EQ(floats(full({2}, 1.5)), (std::vector<float>{1.5, 1.5}));
  EXPECT_EQ(floats(zeros({2})), (std::vector<float>{0, 0}));
  EXPECT_EQ(floats(ones({2})), (std::vector<float>{1, 1}));
  EXPECT_EQ(elements<int64_t>(full_like(full({2}, 3), 4)), (std::vector<int64_t>{4, 4}));
}

TEST(NewTensors, HaveTheDTypeAndDeviceOfTheirTensor) {
  const Tensor x = full({2}, 3, DType::Int16, {}, TestDevice::device());

  EXPECT_EQ(x.new_empty({2, 3}).dtype(), DType::Int16);
  EXPECT_TRUE(x.new_empty({2, 3}).device() == TestDevice::device());
  EXPECT_EQ(testing::strides(x.new_empty_strided({2, 3}, {1, 2})), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(elements<int16_t>(x.new_zeros({1}).to(kCpu, DType::Int16)), (std::vector<int16_t>{0}));
  EXPECT_EQ(elements<int16_t>(x.new_ones({1}).to(kCpu, DType::Int16)), (std::vector<int16_t>{1}));
  EXPECT_EQ(elements<int16_t>(x.new_full({1}, 7.5).to(kCpu, DType::Int16)),
            (std::vector<int16_t>{7}));
}

TEST(NewTensors, TakeAnotherDTypeAndDevice) {
  const Tensor x = full({2}, 3, DType::Int16, {}, TestDevice::device());

  EXPECT_EQ(floats(x.new_ones({2}, DType::Float32, {}, kCpu)), (std::vector<float>{1, 1}));
}

TEST(NewTensors, AreFakeOfAFakeOne) {
  const FakeTensor x = empty<FakeTensor>({2}, DType::Int8, {}, Device(kOpwDeviceMeta));

  const FakeTensor y = x.new_zeros({4});

  EXPECT_TRUE(y.size(0) == 4);
  EXPECT_EQ(y.dtype(), DType::Int8);
}

TEST(Factories, MakeTensorsOnADevice) {
  const Device device = TestDevice::device();

  const Tensor x = full({2}, 1.5, {}, {}, device);

  EXPECT_TRUE(x.device() == device);
  EXPECT_EQ(floats(_to_copy(x, {}, {}, kCpu)), (std::vector<float>{1.5, 1.5}));
}

TEST(Copy, GoesBetweenDevicesWithAnyStridesAndDTypes) {
  const Tensor source = range({2, 3});
  const Tensor there = empty({3, 2}, DType::Float32, {}, TestDevice::device());
  Tensor back = zeros({2, 3}, DType::Int64);

  there.t().copy_(source);
  back.copy_(there.t());

  EXPECT_EQ(elements<int64_t>(back), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(floats(_to_copy(there, {}, {}, kCpu)), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(floats(_to_copy(there.select(0, 1), {}, {}, kCpu)), (std::vector<float>{1, 4}));
}

TEST(Copy, BroadcastsAndConverts) {
  Tensor x = empty({2, 2}, DType::UInt8);

  x.copy_(tensor_of<float>({2}, {1.9F, 255}));

  EXPECT_EQ(elements<uint8_t>(x), (std::vector<uint8_t>{1, 255, 1, 255}));
  EXPECT_ERROR_CONTAINS(x.copy_(range({3})), "ValueError",
                        "copy_: src of sizes [3] does not broadcast to the sizes [2, 2] of self");
}

TEST(Fill, WritesOneNumberEverywhere) {
  Tensor x = range({2, 2});

  x.t().fill_(3);
  x.select(0, 1).zero_();

  EXPECT_EQ(floats(x), (std::vector<float>{3, 3, 0, 0}));
  EXPECT_ERROR_CONTAINS(x.fill_(Complex<double>(0, 1)), "TypeError",
                        "cannot be stored in self of float32");
}

TEST(Contiguous, GivesATensorThatIsContiguousBack) {
  const Tensor x = range({2, 3});

  EXPECT_EQ(x.contiguous().get(), x.get());
  EXPECT_EQ(testing::strides(x.t().contiguous()), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(testing::strides(range({1, 2, 2, 2}).contiguous(MemoryFormat::ChannelsLast)),
            (std::vector<int64_t>{8, 1, 4, 2}));
}

TEST(To, GivesATensorOfTheDTypeBack) {
  const Tensor x = range({3});

  EXPECT_EQ(x.to(DType::Float32).get(), x.get());
  EXPECT_NE(x.to(DType::Float32, false, true).get(), x.get());
  EXPECT_EQ(elements<bool>(x.to(DType::Bool)), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(elements<Complex<double>>(x.to(DType::Complex128))[2], Complex<double>(2, 0));
}

TEST(To, GivesATensorOfTheDeviceAndDTypeBack) {
  const Tensor x = range({3});
  const Tensor there = x.to(TestDevice::device(), DType::Float32);

  EXPECT_EQ(x.to(kCpu, DType::Float32).get(), x.get());
  EXPECT_EQ(there.to(Device(TestDevice::device().type), DType::Float32).get(), there.get());
  EXPECT_NE(x.to(kCpu, DType::Float32, false, true).get(), x.get());
  EXPECT_TRUE(there.device() == TestDevice::device());
  EXPECT_EQ(elements<int64_t>(there.to(kCpu, DType::Int64)), (std::vector<int64_t>{0, 1, 2}));
}

TEST(To, ChangesOnlyWhatIsAsked) {
  const Tensor x = range({1, 2, 2, 2});

  EXPECT_EQ(x.to().get(), x.get());
  EXPECT_EQ(x.to(std::optional(DType::Float32)).get(), x.get());
  EXPECT_TRUE(x.to(std::nullopt, {}, TestDevice::device()).device() == TestDevice::device());
  EXPECT_EQ(testing::strides(x.to(DType::Float32, false, false, MemoryFormat::ChannelsLast)),
            (std::vector<int64_t>{8, 1, 4, 2}));
}

TEST(To, FollowsAnotherTensor) {
  const Tensor x = range({3});
  const Tensor other = full({}, 1, DType::Int8, {}, TestDevice::device());

  const Tensor moved = x.to(other);

  EXPECT_TRUE(moved.device() == other.device());
  EXPECT_EQ(moved.dtype(), DType::Int8);
  EXPECT_EQ(x.to(x).get(), x.get());
}

TEST(To, WorksOnFakeTensors) {
  const FakeTensor x = empty<FakeTensor>({2, 3}, {}, {}, Device(kOpwDeviceMeta));

  EXPECT_EQ(x.to(DType::Float32).get(), x.get());
  EXPECT_EQ(x.to(DType::Int8).dtype(), DType::Int8);
}

TEST(Clone, HasItsOwnMemory) {
  const Tensor x = range({2});
  Tensor copy = x.clone();

  copy.add_(1);

  EXPECT_EQ(floats(x), (std::vector<float>{0, 1}));
}

}  // namespace
}  // namespace opwright
