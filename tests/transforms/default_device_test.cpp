// The device of a `with` block from C++.
#include "opwright/transforms/mode/default_device.h"

#include <gtest/gtest.h>

#include "opwright/functions.h"

namespace opwright {
namespace {

constexpr Device kMeta{kOpwDeviceMeta};

TEST(DefaultDevice, IsTheDeviceOfTensorsThatAreCreatedWithoutOne) {
  {
    const DefaultDevice meta(kMeta);
    EXPECT_EQ(ones({2}).device().type, kMeta.type);
    EXPECT_EQ(ones({2}, std::nullopt, std::nullopt, kCpu).device(), kCpu);
    EXPECT_EQ(default_device(), kMeta);
  }
  EXPECT_EQ(ones({2}).device(), kCpu);
  EXPECT_EQ(default_device(), std::nullopt);
}

TEST(DefaultDevice, LeavesTensorsLikeOthersOnTheirDevice) {
  const Tensor x = ones({2});
  const DefaultDevice meta(kMeta);

  EXPECT_EQ(zeros_like(x).device(), kCpu);
}

TEST(DefaultDevice, IsDecidedByTheInnermostBlock) {
  const DefaultDevice meta(kMeta);
  const DefaultDevice cpu(kCpu);

  EXPECT_EQ(ones({2}).device(), kCpu);
}

}  // namespace
}  // namespace opwright
