// The stream on which a kernel must launch.
#include "opwright/stream.h"

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/tensor/device/stream.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::TestDevice;

TEST(CurrentStream, IsNullOnTheCpu) {
  EXPECT_EQ(current_stream(kCpu), nullptr);
  EXPECT_EQ(current_stream(Device(kOpwDeviceCpu)), nullptr);
}

TEST(CurrentStream, IsThatOfTheDeviceInsideAScope) {
  const Device device = TestDevice::device();
  {
    const StreamScope scope(device, TestDevice::stream(42));
    EXPECT_EQ(current_stream(device), TestDevice::stream(42));
    EXPECT_EQ(current_stream(Device(device.type)), TestDevice::stream(42));
  }
  EXPECT_EQ(current_stream(device), nullptr);
}

TEST(CurrentStream, RefusesADeviceThatNothingRunsOn) {
  EXPECT_ERROR_CONTAINS((void)current_stream(Device(kOpwDeviceVulkan, 0)), "RuntimeError",
                        "vulkan");
}

}  // namespace
}  // namespace opwright
