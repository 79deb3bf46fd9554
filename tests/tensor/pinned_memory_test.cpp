#include "opwright/tensor/pinned_memory.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/factory.h"
#include "tensor/test_device.h"

namespace opwright::testing {
namespace {

int64_t live_pinned = 0;

// A device that pins memory, in addition to the test device, which does not.
void register_pinning_device() {
  static const int32_t type = [] {
    OpwDeviceTable table = TestDevice::kTable;
    table.name = "pinning";
    table.allocate_pinned = [](const OpwHost*, size_t bytes, void** memory) {
      *memory = std::malloc(bytes);
      live_pinned += static_cast<int64_t>(bytes);
      return 0;
    };
    table.free_pinned = [](void* memory, size_t bytes) {
      std::free(memory);
      live_pinned -= static_cast<int64_t>(bytes);
    };
    return register_device(table);
  }();
  (void)type;
}

const std::vector<int64_t> kSizes{2, 3};
const std::vector<int64_t> kStrides{1, 2};

TEST(PinnedMemory, NeedsADeviceThatHasIt) {
  (void)TestDevice::device();
  EXPECT_ERROR(make_empty_pinned(kSizes, kStrides, DType::Float32), "RuntimeError",
               "pin_memory: no device that pins memory is here; omit pin_memory");
}

TEST(PinnedMemory, IsMemoryOfTheCpuThatGoesWithItsLastTensor) {
  register_pinning_device();
  {
    const Tensor x = make_empty_pinned(kSizes, kStrides, DType::Float32);
    EXPECT_TRUE(is_pinned(x));
    EXPECT_EQ(x.device(), kCpu);
    EXPECT_EQ(x.stride(1), 2);
    EXPECT_EQ(live_pinned, 24);
  }
  EXPECT_EQ(live_pinned, 0);
}

TEST(PinnedMemory, OfNothingIsAsAnyOther) {
  register_pinning_device();
  const std::vector<int64_t> none{0};
  const std::vector<int64_t> one{1};
  EXPECT_EQ(make_empty_pinned(none, one, DType::Float32).numel(), 0);
  EXPECT_EQ(live_pinned, 0);
  EXPECT_FALSE(is_pinned(make_empty(kSizes, DType::Float32)));
}

TEST(PinnedMemory, RefusesSizesThatNoTensorHas) {
  register_pinning_device();
  const std::vector<int64_t> negative{-1};
  const std::vector<int64_t> one{1};
  EXPECT_ERROR(make_empty_pinned(negative, one, DType::Float32), "ValueError",
               "pin_memory: size -1 of dimension 0 is negative in [-1]");
}

}  // namespace
}  // namespace opwright::testing
