// Source kernels launched by operators (opwright/source_kernel.h).
//
// Covers: src/ops/engine/device/*.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/expect_error.h"
#include "opwright/functions.h"
#include "opwright/source_kernel.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/factory.h"
#include "tensor/test_device.h"

namespace opwright {
namespace {

using testing::TestDevice;

// The last requests to the device.
struct Asked {
  std::string source;
  std::string name;
  std::string options;
  int32_t index = -1;
  int builds = 0;
  int launches = 0;
  OpwLaunch launch{};
  std::vector<std::vector<unsigned char>> values;  // of plain arguments
  std::vector<const void*> memories;
};
Asked asked;

int build(const OpwHost* /*host*/, int32_t index, const char* source, const char* name,
          const char* options, OpwDeviceKernel** kernel) {
  asked.source = source;
  asked.name = name;
  asked.options = options;
  asked.index = index;
  ++asked.builds;
  *kernel = reinterpret_cast<OpwDeviceKernel*>(&asked);
  return 0;
}

int launch(const OpwHost* /*host*/, int32_t index, OpwDeviceKernel* kernel, const OpwLaunch* given,
           OpwStream* /*stream*/) {
  EXPECT_EQ(kernel, reinterpret_cast<OpwDeviceKernel*>(&asked));
  asked.index = index;
  asked.launch = *given;
  ++asked.launches;
  asked.values.clear();
  asked.memories.clear();
  for (uint32_t i = 0; i < given->num_arguments; ++i) {
    const auto* bytes = static_cast<const unsigned char*>(given->arguments[i].value);
    if (given->arguments[i].size == 0) {
      asked.memories.push_back(bytes);
    } else {
      asked.values.emplace_back(bytes, bytes + given->arguments[i].size);
    }
  }
  return 0;
}

Device compiling_device(int32_t index = 0) {
  static const int32_t type = [] {
    OpwDeviceTable table = TestDevice::kTable;
    table.name = "compiling";
    table.build_kernel = &build;
    table.launch_kernel = &launch;
    return register_device(table);
  }();
  return Device(type, index);
}

template <class T>
std::vector<unsigned char> bytes_of(T value) {
  std::vector<unsigned char> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

Tensor tensor_on(Device device) {
  const std::vector<int64_t> sizes{4};
  return make_empty(sizes, DType::Float32, device);
}

TEST(SourceKernel, IsBuiltOnceForEachDevice) {
  const SourceKernel kernel("text", "scale", "-fast");
  const int before = asked.builds;

  kernel.launch(compiling_device(0), {1}, {1});
  kernel.launch(compiling_device(0), {1}, {1});
  EXPECT_EQ(asked.builds, before + 1);
  kernel.launch(compiling_device(1), {1}, {1});

  EXPECT_EQ(asked.builds, before + 2);
  EXPECT_EQ(asked.source, "text");
  EXPECT_EQ(asked.name, "scale");
  EXPECT_EQ(asked.options, "-fast");
  EXPECT_EQ(asked.index, 1);
}

TEST(SourceKernel, PassesTensorsAsMemoryAndNumbersByTheirTypes) {
  struct Pair {
    double first;
    float second;
  };
  const SourceKernel kernel("text", "scale");
  const Tensor x = tensor_on(compiling_device());

  kernel.launch(compiling_device(), {5, 6}, {7}, x, 2.0F, int64_t{-3}, uint8_t{9}, Pair{1, 2});

  EXPECT_EQ(asked.memories, std::vector<const void*>{x.data()});
  ASSERT_EQ(asked.values.size(), 4U);
  EXPECT_EQ(asked.values[0], bytes_of(2.0F));
  EXPECT_EQ(asked.values[1], bytes_of(int64_t{-3}));
  EXPECT_EQ(asked.values[2], bytes_of(uint8_t{9}));
  EXPECT_EQ(asked.values[3].size(), sizeof(Pair));
  EXPECT_EQ(asked.launch.groups[1], 6U);
  EXPECT_EQ(asked.launch.groups[2], 1U);
  EXPECT_EQ(asked.launch.group_size[0], 7U);
  EXPECT_EQ(asked.launch.group_size[2], 1U);
}

TEST(SourceKernel, LeavesTheGroupsToTheDevice) {
  const SourceKernel kernel("text", "scale");
  kernel.launch(compiling_device(), {5}, {});
  EXPECT_EQ(asked.launch.group_size[0], 0U);
  EXPECT_EQ(asked.launch.group_size[2], 0U);
}

TEST(SourceKernel, RunsNothingWithoutAGroup) {
  const SourceKernel kernel("text", "scale");
  const int before = asked.launches;
  kernel.launch(compiling_device(), {0}, {64});
  EXPECT_EQ(asked.launches, before);
}

TEST(SourceKernel, RefusesWhatCannotBeLaunched) {
  const SourceKernel kernel("text", "scale");
  EXPECT_ERROR_CONTAINS(kernel.launch(compiling_device(), {-1}, {1}), "ValueError",
                        "source kernel: groups must be at least 0, got -1");
  EXPECT_ERROR_CONTAINS(kernel.launch(compiling_device(), {1}, {0}), "ValueError",
                        "source kernel: group_size must be at least 1, got 0");
  EXPECT_ERROR_CONTAINS(kernel.launch(compiling_device(), {1, 1, 1, 1}, {1}), "ValueError",
                        "source kernel: groups has at most 3 dimensions, got 4");
  EXPECT_ERROR_CONTAINS(kernel.launch(compiling_device(), {1}, {1}, tensor_on(kCpu)), "ValueError",
                        "source kernel scale: argument 1 is on cpu, but the kernel is launched on "
                        "compiling:0");
}

TEST(SourceKernel, NeedsADeviceWithACompiler) {
  const SourceKernel kernel("text", "scale");
  EXPECT_ERROR_CONTAINS(
      kernel.launch(TestDevice::device(), {1}, {1}), "NotImplementedError",
      "source kernel: the device test has no compiler (build_kernel, launch_kernel)");
}

}  // namespace
}  // namespace opwright
