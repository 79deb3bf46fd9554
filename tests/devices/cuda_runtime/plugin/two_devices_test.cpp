// More than one device in a process.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/c_api.h"
#include "tests/devices/cuda_runtime/plugin/plugin.h"

namespace opwright::cuda {
namespace {

constexpr OpwDevice kSecondDevice{kOpwDeviceCuda, 1};

TEST(CudaTwoDevices, HaveMemoryOfTheirOwn) {
  OPWRIGHT_NEED_TWO_DEVICES();
  const int64_t first = table().statistic(0, "allocated");
  void* memory = nullptr;
  expect_ok(table().allocate(host(), 1, 4096, nullptr, &memory));
  EXPECT_EQ(table().statistic(0, "allocated"), first);
  EXPECT_EQ(table().statistic(1, "allocated"), 4096);
  EXPECT_EQ(table().current(), 0);
  table().free(1, memory, 4096, nullptr);
  EXPECT_EQ(table().statistic(1, "allocated"), 0);
}

TEST(CudaTwoDevices, CopyToEachOtherInOrder) {
  OPWRIGHT_NEED_TWO_DEVICES();
  const std::vector<int32_t> values{3, 1, 4, 1, 5};
  const size_t bytes = values.size() * sizeof(int32_t);
  OpwStream* stream = nullptr;
  expect_ok(table().new_stream(host(), 0, 0, &stream));
  const Memory source(values);
  const Memory copied(bytes);
  void* other = nullptr;
  expect_ok(table().allocate(host(), 1, bytes, nullptr, &other));
  // The copy between devices must wait for the one before it on the other device's stream.
  EXPECT_EQ(table().set_current_stream(0, stream), nullptr);
  expect_ok(
      table().copy(host(), copied.data(), kCudaDevice, source.data(), kCudaDevice, bytes, stream));
  expect_ok(table().copy(host(), other, kSecondDevice, copied.data(), kCudaDevice, bytes, nullptr));
  table().set_current_stream(0, nullptr);
  std::vector<int32_t> back(values.size());
  expect_ok(table().copy(host(), back.data(), kCpuDevice, other, kSecondDevice, bytes, nullptr));
  EXPECT_EQ(back, values);
  table().free(1, other, bytes, nullptr);
  expect_ok(table().synchronize_stream(host(), 0, stream));
  table().free_stream(0, stream);
}

TEST(CudaTwoDevices, KeepTheCurrentOneOfTheThread) {
  OPWRIGHT_NEED_TWO_DEVICES();
  expect_ok(table().set_current(host(), 1));
  EXPECT_EQ(table().current(), 1);
  const Memory memory(std::vector<int32_t>{7});  // of cuda:0
  EXPECT_EQ(memory.read<int32_t>(), std::vector<int32_t>{7});
  EXPECT_EQ(table().current(), 1);
  expect_ok(table().set_current(host(), 0));
}

TEST(CudaTwoDevices, FreeMemoryOnAStreamOfItsDeviceWhicheverIsCurrent) {
  OPWRIGHT_NEED_TWO_DEVICES();
  OpwStream* stream = nullptr;
  expect_ok(table().new_stream(host(), 0, 0, &stream));
  void* memory = nullptr;
  expect_ok(table().allocate(host(), 0, size_t{30} << 20, nullptr, &memory));
  const Memory source(4);
  expect_ok(table().copy(host(), memory, kCudaDevice, source.data(), kCudaDevice, 4, stream));
  expect_ok(table().set_current(host(), 1));
  table().free(0, memory, size_t{30} << 20, stream);
  void* next = nullptr;
  expect_ok(table().allocate(host(), 0, size_t{30} << 20, nullptr, &next));
  if (property("name") == "made up") {
    EXPECT_NE(next, memory);  // the stream has not reached it
  }
  expect_ok(table().set_current(host(), 0));
  table().free(0, next, size_t{30} << 20, nullptr);
  expect_ok(table().synchronize_stream(host(), 0, stream));
  table().free_stream(0, stream);
}

TEST(CudaTwoDevices, RefuseATimeBetweenTheirEvents) {
  OPWRIGHT_NEED_TWO_DEVICES();
  OpwEvent* first = nullptr;
  OpwEvent* second = nullptr;
  expect_ok(table().record_event(host(), 0, nullptr, &first));
  expect_ok(table().record_event(host(), 1, nullptr, &second));
  double milliseconds = 0;
  EXPECT_EQ(table().event_time(host(), first, second, &milliseconds), 1);
  EXPECT_EQ(given_error(),
            "ValueError: the first event is of cuda:0 and the second of cuda:1: a time lies between"
            " events of one device");
  table().free_event(first);
  table().free_event(second);
}

}  // namespace
}  // namespace opwright::cuda
