#include "opwright/tensor/factory.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/live_counts.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/tensor_impl.h"
#include "symbolic/test_owner.h"
#include "tensor/tensors.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::list;
using testing::TestDevice;
using testing::TestOwner;
using testing::values_of;

void count_call(void* count) { ++*static_cast<int*>(count); }

TEST(MakeEmpty, IsContiguousOnTheCpu) {
  const Tensor tensor = make_empty(list({2, 3, 4}), DType::Float32);

  EXPECT_EQ(values_of(tensor.sizes()), (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(values_of(tensor.strides()), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_TRUE(tensor.is_contiguous());
  EXPECT_EQ(tensor.device(), kCpu);
  EXPECT_EQ(tensor.get()->flags, 1U);
  EXPECT_EQ(impl(tensor).storage->nbytes, 96U);
}

TEST(MakeEmpty, MayHaveNoDimensionsOrNoElements) {
  EXPECT_EQ(make_empty({}, DType::Int8).numel(), 1);
  EXPECT_EQ(impl(make_empty({}, DType::Int8)).storage->nbytes, 1U);
  const Tensor none = make_empty(list({3, 0, 2}), DType::Float32);
  EXPECT_EQ(none.numel(), 0);
  EXPECT_EQ(values_of(none.strides()), (std::vector<int64_t>{2, 2, 1}));
  EXPECT_EQ(impl(none).storage->nbytes, 0U);
}

TEST(MakeEmpty, OrdersMemoryByTheFormat) {
  const Tensor tensor =
      make_empty(list({2, 3, 4, 5}), DType::Float32, kCpu, MemoryFormat::ChannelsLast);

  EXPECT_EQ(values_of(tensor.strides()), (std::vector<int64_t>{60, 1, 15, 3}));
}

TEST(MakeEmpty, RefusesANegativeSize) {
  EXPECT_ERROR(make_empty(list({2, -1}), DType::Float32), "ValueError",
               "empty: size -1 of dimension 1 is negative in [2, -1]");
}

TEST(MakeEmpty, RefusesSizesThatOverflow) {
  const int64_t big = int64_t{1} << 40;
  EXPECT_ERROR(
      make_empty(list({big, big}), DType::Float32), "ValueError",
      "empty: a float32 tensor of sizes [1099511627776, 1099511627776] has more than 2^62 bytes");
  EXPECT_ERROR(
      make_empty(list({int64_t{1} << 61}), DType::Complex128), "ValueError",
      "empty: a complex128 tensor of sizes [2305843009213693952] has more than 2^62 bytes");
  EXPECT_ERROR(
      make_empty(list({big, big}), DType::Float32, Device(kOpwDeviceMeta)), "ValueError",
      "empty: a float32 tensor of sizes [1099511627776, 1099511627776] has more than 2^62 bytes");
}

TEST(MakeEmpty, SaysHowMuchMemoryIsMissing) {
  EXPECT_ERROR(make_empty(list({int64_t{1} << 58}), DType::Float32), "MemoryError",
               "cannot allocate 1 EiB (1152921504606846976 bytes) on cpu: out of memory");
}

TEST(MakeEmpty, UsesTheMemoryOfAPluginsDevice) {
  const int64_t blocks = TestDevice::counts.live_blocks;
  {
    const Tensor tensor = make_empty(list({2, 3}), DType::Float32, TestDevice::device(-1));
    EXPECT_EQ(tensor.device(), TestDevice::device(0));
    EXPECT_EQ(tensor.get()->flags & kOpwDeviceBits, device_bit(TestDevice::device().type));
    EXPECT_EQ(TestDevice::counts.live_blocks, blocks + 1);
  }
  EXPECT_EQ(TestDevice::counts.live_blocks, blocks);
}

TEST(MakeEmpty, IsFakeOnMeta) {
  const Tensor tensor = make_empty(list({2, 3}), DType::Float32, Device(kOpwDeviceMeta));

  EXPECT_TRUE(tensor.is_fake());
  EXPECT_EQ(tensor.size(1), 3);
  EXPECT_ERROR(tensor.data<float>(), "DataDependentError",
               "the data of a fake tensor was read; a fake kernel may look at sizes, strides, "
               "dtype and device only");
}

TEST(MakeEmpty, NeedsAPluginForOtherDevices) {
  EXPECT_ERROR(
      make_empty(list({2}), DType::Float32, Device(kOpwDeviceCuda)), "RuntimeError",
      "nothing runs on cuda here: the plug-in that registers the device 'cuda' is not loaded");
}

TEST(MakeEmpty, LeaksNothing) {
  const LiveCounts before = live_counts();
  for (int i = 0; i < 1000; ++i) {
    const Tensor tensor = make_empty(list({4, i}), DType::Float64);
    const Tensor handle = tensor;
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(MakeEmptyStrided, AllocatesWhatTheStridesReach) {
  const Tensor tensor = make_empty_strided(list({2, 3}), list({10, 2}), DType::Float32);

  EXPECT_EQ(impl(tensor).storage->nbytes, 15U * 4);
  EXPECT_EQ(values_of(tensor.strides()), (std::vector<int64_t>{10, 2}));
}

TEST(MakeEmptyStrided, RefusesStridesThatDoNotFit) {
  EXPECT_ERROR(make_empty_strided(list({2, 3}), list({1}), DType::Float32), "ValueError",
               "empty_strided: there must be one stride for each size, got [2, 3] and [1]");
  EXPECT_ERROR(make_empty_strided(list({2}), list({-1}), DType::Float32), "ValueError",
               "empty_strided: strides must not be negative, got [-1]");
  EXPECT_ERROR(make_empty_strided(list({3}), list({int64_t{1} << 61}), DType::Float32),
               "ValueError",
               "empty_strided: a float32 tensor of sizes [3] has more than 2^62 bytes");
}

TEST(MakeFake, NeedsNoPlugin) {
  const Tensor fake = make_fake(list({2, 3}), DType::Float16, Device(kOpwDeviceCuda, 1));

  EXPECT_TRUE(fake.is_fake());
  EXPECT_FALSE(fake.is_symbolic());
  EXPECT_EQ(concatenate(fake), "float16[2, 3] on cuda:1");
  EXPECT_EQ(impl(fake).storage->nbytes, 12U);
}

TEST(MakeFake, KeepsSizesSymbolic) {
  TestOwner owner;
  {
    const std::vector<SymInt> sizes{owner.backed("s0", 5), 3};
    const Tensor fake = make_fake(sizes, DType::Float32, kCpu);

    EXPECT_EQ(concatenate(fake), "float32[s0, 3]");
    EXPECT_EQ(concatenate(fake.sym_size(0), " ", fake.sym_stride(0), " ", fake.sym_numel()),
              "s0 3 s0*3");
    EXPECT_TRUE(owner.specialisations.empty());
  }
  EXPECT_EQ(owner.live_nodes(), 0);
}

TEST(MakeFake, RecordsWhereASizeWasFixed) {
  TestOwner owner;
  const std::vector<SymInt> sizes{owner.backed("s0", 5), 3};
  const Tensor fake = make_fake(sizes, DType::Float32, kCpu);

  const int64_t size = fake.size(0);
  const uint32_t line = __LINE__ - 1;

  EXPECT_EQ(size, 5);
  ASSERT_EQ(owner.specialisations.size(), 1U);
  EXPECT_EQ(owner.specialisations[0].text, "s0");
  EXPECT_EQ(owner.specialisations[0].file, __FILE__);
  EXPECT_EQ(owner.specialisations[0].line, line);
}

TEST(MakeFake, GivesTheFixedSizesAsAWhole) {
  TestOwner owner;
  const std::vector<SymInt> sizes{3, owner.backed("s0", 5)};
  const Tensor fake = make_fake(sizes, DType::Float32, kCpu);

  EXPECT_EQ(values_of(fake.sizes()), (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(values_of(fake.strides()), (std::vector<int64_t>{5, 1}));
  EXPECT_EQ(fake.numel(), 15);
}

TEST(MakeFake, CannotFixASizeThatIsKnownAtRunTimeOnly) {
  TestOwner owner;
  const std::vector<SymInt> sizes{owner.unbacked("u0")};
  const Tensor fake = make_fake(sizes, DType::Float32, kCpu);

  EXPECT_ERROR_CONTAINS((void)fake.size(0), "RuntimeError", "cannot fix u0 at ");
}

TEST(MakeScalarTensor, KeepsTheLowBitsOfAFloatThatAnIntCannotHold) {
  EXPECT_EQ(*make_scalar_tensor(-8.5, DType::UInt8).data<uint8_t>(), 248);
  EXPECT_EQ(*make_scalar_tensor(1e300, DType::Int64).data<int64_t>(), INT64_MIN);
}

TEST(MakeFromMemory, SharesTheMemoryAndCallsTheDeleterOnce) {
  float memory[6] = {0, 1, 2, 3, 4, 5};
  int calls = 0;
  {
    const Tensor tensor = make_from_memory(memory, list({3, 2}), list({2, 1}), DType::Float32, kCpu,
                                           &count_call, &calls);
    tensor.mutable_data<float>()[5] = 7;
    EXPECT_EQ(calls, 0);
  }
  EXPECT_EQ(memory[5], 7.0F);
  EXPECT_EQ(calls, 1);
}

TEST(MakeFromMemory, ReachesBackWithNegativeStrides) {
  float memory[3] = {0, 1, 2};
  const Tensor tensor =
      make_from_memory(memory + 2, list({3}), list({-1}), DType::Float32, kCpu, nullptr, nullptr);

  EXPECT_EQ(impl(tensor).storage->data, memory);
  EXPECT_EQ(impl(tensor).storage_offset, 2);
  EXPECT_EQ(tensor.data<float>()[-2], 0.0F);
}

TEST(MakeFromMemory, CallsTheDeleterWhenItRefuses) {
  int calls = 0;
  EXPECT_ERROR(
      make_from_memory(nullptr, list({3}), list({1}), DType::Float32, kCpu, &count_call, &calls),
      "ValueError", "from_memory: the data pointer of a float32[3] tensor is null");
  EXPECT_ERROR(
      make_from_memory(&calls, list({-3}), list({1}), DType::Float32, kCpu, &count_call, &calls),
      "ValueError", "from_memory: size -3 of dimension 0 is negative in [-3]");
  const std::vector<int64_t> ones(65, 1);
  EXPECT_ERROR(make_from_memory(&calls, ones, ones, DType::Float32, kCpu, &count_call, &calls),
               "ValueError", "a tensor has at most 64 dimensions, got 65");
  EXPECT_ERROR(make_from_memory(&calls, list({1}), list({1}), DType::Float32,
                                Device(kOpwDeviceMeta), &count_call, &calls),
               "ValueError", "from_memory: a meta tensor has no memory");
  EXPECT_EQ(calls, 4);
}

TEST(MakeScalarTensor, ConvertsToTheDtype) {
  EXPECT_EQ(make_scalar_tensor(2.5, DType::Float32).data<float>()[0], 2.5F);
  EXPECT_EQ(make_scalar_tensor(2.5, DType::Int32).data<int32_t>()[0], 2);
  EXPECT_EQ(make_scalar_tensor(0.5, DType::Bool).data<bool>()[0], true);
  EXPECT_EQ(static_cast<float>(make_scalar_tensor(1.5, DType::BFloat16).data<BFloat16>()[0]), 1.5F);
  EXPECT_EQ(make_scalar_tensor(Complex<double>(1, 2), DType::Complex64).data<Complex<float>>()[0],
            Complex<float>(1, 2));
  EXPECT_EQ(make_scalar_tensor(true, DType::Int64).dim(), 0);
}

TEST(MakeScalarTensor, RefusesAComplexNumberForARealDtype) {
  EXPECT_ERROR(make_scalar_tensor(Complex<double>(1, 2), DType::Float32), "TypeError",
               "the complex number 1+2j cannot become a real one");
}

TEST(MakeScalarTensor, WorksOnAnotherDevice) {
  const Tensor tensor = make_scalar_tensor(3, DType::Int64, TestDevice::device());
  int64_t value = 0;

  copy_bytes(&value, kCpu, tensor.data(), tensor.device(), sizeof value);

  EXPECT_EQ(value, 3);
}

}  // namespace
}  // namespace opwright
