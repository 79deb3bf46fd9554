#include "opwright/tensor/recorded_stream.h"

#include <vector>

#include <gtest/gtest.h>

#include "opwright/tensor/factory.h"
#include "tensor/test_device.h"

namespace opwright::testing {
namespace {

const std::vector<int64_t> kStreamSizes{4};

TEST(RecordStream, MakesTheHomeStreamWaitWhenTheMemoryGoes) {
  const int64_t blocks = TestDevice::counts.live_blocks;
  const int64_t events = TestDevice::counts.recorded_events;
  {
    const Tensor x = make_empty(kStreamSizes, DType::Float32, TestDevice::device());
    record_stream(x, TestDevice::stream(7));
    record_stream(x, TestDevice::stream(7));
    record_stream(x, TestDevice::stream(8));
    EXPECT_EQ(TestDevice::counts.recorded_events, events);
    EXPECT_EQ(TestDevice::counts.live_blocks, blocks + 1);
  }
  EXPECT_EQ(TestDevice::counts.recorded_events, events + 2);
  EXPECT_EQ(TestDevice::counts.recorded_on, TestDevice::stream(8));
  EXPECT_EQ(TestDevice::counts.waiting_stream, nullptr);
  EXPECT_EQ(TestDevice::counts.live_events, 0);
  EXPECT_EQ(TestDevice::counts.live_blocks, blocks);
}

TEST(RecordStream, DoesNothingForTheStreamThatTheMemoryIsFrom) {
  const int64_t events = TestDevice::counts.recorded_events;
  {
    const Tensor x = make_empty(kStreamSizes, DType::Float32, TestDevice::device());
    record_stream(x, nullptr);
  }
  EXPECT_EQ(TestDevice::counts.recorded_events, events);
}

TEST(RecordStream, DoesNothingOnADeviceWithoutStreams) {
  const Tensor x = make_empty(kStreamSizes, DType::Float32);
  record_stream(x, TestDevice::stream(7));
  EXPECT_EQ(x.device(), kCpu);
}

}  // namespace
}  // namespace opwright::testing
