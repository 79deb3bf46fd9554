#include "opwright/tensor/device/stream.h"

#include <array>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::TestDevice;

TEST(Stream, IsNullOnADeviceWithoutStreams) {
  EXPECT_FALSE(has_streams(kCpu));
  EXPECT_EQ(current_device_stream(kCpu), nullptr);
  synchronize(kCpu);
  synchronize_stream(kCpu, nullptr);
  Event::record(kCpu, nullptr).make_wait(kCpu, nullptr);
  Event::record(kCpu, nullptr).synchronize();
}

TEST(Stream, IsCurrentInsideItsScope) {
  const Device device = TestDevice::device();
  const Stream stream = Stream::make(device);
  {
    const StreamScope scope(device, stream.get());
    EXPECT_EQ(current_device_stream(device), stream.get());
  }
  EXPECT_EQ(current_device_stream(device), nullptr);
}

TEST(Stream, IsFreedOnce) {
  const int64_t before = TestDevice::counts.live_streams;
  {
    Stream stream = Stream::make(TestDevice::device());
    const Stream moved = std::move(stream);
    EXPECT_EQ(TestDevice::counts.live_streams, before + 1);
  }
  EXPECT_EQ(TestDevice::counts.live_streams, before);
}

TEST(Event, LetsAnotherStreamWaitAndIsFreedOnce) {
  const Device device = TestDevice::device();
  const int64_t before = TestDevice::counts.live_events;
  {
    Event event = Event::record(device, TestDevice::stream(5));
    const Event moved = std::move(event);
    moved.make_wait(device, TestDevice::stream(6));
    EXPECT_EQ(TestDevice::counts.recorded_on, TestDevice::stream(5));
    EXPECT_EQ(TestDevice::counts.waiting_stream, TestDevice::stream(6));
  }
  EXPECT_EQ(TestDevice::counts.live_events, before);
}

TEST(Synchronize, TurnsADevicesStatusIntoItsError) {
  EXPECT_ERROR(synchronize(TestDevice::device(1)), "RuntimeError", "test:1 is broken");
}

TEST(Synchronize, AsksTheDevice) {
  const int64_t before = TestDevice::counts.synchronisations;

  synchronize(TestDevice::device());
  synchronize_stream(TestDevice::device(), nullptr);
  Event::record(TestDevice::device(), nullptr).synchronize();

  EXPECT_EQ(TestDevice::counts.synchronisations, before + 3);
}

TEST(CopyBytes, CopiesBetweenAllPairsOfDevices) {
  const std::array<int, 4> from{1, 2, 3, 4};
  for (const Device to_device : {kCpu, TestDevice::device()}) {
    for (const Device from_device : {kCpu, TestDevice::device()}) {
      std::array<int, 4> to{};
      copy_bytes(to.data(), to_device, from.data(), from_device, sizeof to);
      EXPECT_EQ(to, from);
    }
  }
}

TEST(CopyBytes, GoesThroughTheCpuBetweenTwoKindsOfDevice) {
  OpwDeviceTable other = TestDevice::kTable;
  other.name = "second_test";
  const Device second(register_device(other), 0);
  const int from = 3;
  int to = 0;
  const int64_t before = TestDevice::counts.copies;

  copy_bytes(&to, second, &from, TestDevice::device(), sizeof to);

  EXPECT_EQ(to, 3);
  EXPECT_EQ(TestDevice::counts.copies, before + 2);
}

TEST(CopyBytes, DoesNothingForNoBytes) {
  copy_bytes(nullptr, kCpu, nullptr, TestDevice::device(), 0);
}

}  // namespace
}  // namespace opwright
