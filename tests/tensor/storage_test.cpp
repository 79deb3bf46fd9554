// Covers: src/tensor/device/*.
#include "opwright/tensor/storage.h"

#include <cstring>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/tensor/device/live_counts.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::TestDevice;

bool is_aligned(const void* memory) { return reinterpret_cast<uintptr_t>(memory) % 64 == 0; }

TEST(Storage, HoldsSmallDataInItsOwnBlock) {
  const StoragePtr storage = allocate_storage(16, kCpu);

  EXPECT_EQ(storage->data, storage.get() + 1);
  EXPECT_TRUE(is_aligned(storage->data));
  std::memset(storage->data, 1, 16);
}

TEST(Storage, AllocatesLargeDataAligned) {
  const StoragePtr storage = allocate_storage(1 << 20, kCpu);

  EXPECT_EQ(storage->kind, Storage::Kind::OfDevice);
  EXPECT_TRUE(is_aligned(storage->data));
  std::memset(storage->data, 1, 1 << 20);
}

TEST(Storage, MayHaveNoBytes) {
  EXPECT_EQ(allocate_storage(0, kCpu)->nbytes, 0U);
  EXPECT_EQ(allocate_storage(0, TestDevice::device())->data, nullptr);
}

TEST(Storage, IsFreedWithItsLastHandle) {
  const LiveCounts before = live_counts();
  const int64_t blocks = TestDevice::counts.live_blocks;
  {
    const StoragePtr small = allocate_storage(8, kCpu);
    const StoragePtr same = small;
    const StoragePtr on_device = allocate_storage(8, TestDevice::device());
    EXPECT_EQ(live_counts().storages, before.storages + 2);
    EXPECT_EQ(TestDevice::counts.live_blocks, blocks + 1);
  }
  EXPECT_EQ(live_counts(), before);
  EXPECT_EQ(TestDevice::counts.live_blocks, blocks);
}

TEST(Storage, CallsTheDeleterOfForeignMemoryOnce) {
  int calls = 0;
  int memory = 0;
  {
    const StoragePtr storage = adopt_storage(
        &memory, sizeof memory, kCpu, [](void* context) { ++*static_cast<int*>(context); }, &calls);
    const StoragePtr same = storage;
    EXPECT_EQ(calls, 0);
  }
  EXPECT_EQ(calls, 1);
}

TEST(Storage, AllocatesOnTheCurrentStream) {
  TestDevice::current = TestDevice::stream(7);
  const StoragePtr storage = allocate_storage(8, TestDevice::device());
  TestDevice::current = nullptr;

  EXPECT_EQ(TestDevice::counts.allocated_on, TestDevice::stream(7));
}

TEST(Storage, SaysHowMuchCouldNotBeAllocatedAndWhere) {
  EXPECT_ERROR(allocate_storage(1610612736, TestDevice::device(1)), "MemoryError",
               "cannot allocate 1.5 GiB (1610612736 bytes) on test:1: the test device has 1 GiB");
  EXPECT_ERROR(allocate_storage(size_t{1} << 62, kCpu), "MemoryError",
               "cannot allocate 4 EiB (4611686018427387904 bytes) on cpu: out of memory");
}

TEST(Storage, GivesOutOfMemoryAsMemoryError) {
  const LiveCounts before = live_counts();
  try {
    (void)allocate_storage(size_t{1} << 62, kCpu);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.kind(), "MemoryError");
  }
  EXPECT_EQ(live_counts(), before);
}

TEST(Storage, CannotBeAllocatedWhereNothingRuns) {
  EXPECT_ERROR(
      allocate_storage(8, Device(kOpwDeviceCuda, 0)), "RuntimeError",
      "nothing runs on cuda here: the plug-in that registers the device 'cuda' is not loaded");
}

}  // namespace
}  // namespace opwright
