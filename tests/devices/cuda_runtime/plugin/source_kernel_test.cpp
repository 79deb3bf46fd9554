// Kernels built from text, and the errors when one is wrong or fails.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/c_api.h"
#include "tests/devices/cuda_runtime/plugin/plugin.h"

namespace opwright::cuda {
namespace {

constexpr const char* kScale = R"(
extern "C" __global__ void scale(const float* in, float* out, int count, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = factor * in[i];
}
)";

// Null where it cannot be built; the error is kept.
OpwDeviceKernel* build(const char* source, const char* name, const char* options = "") {
  OpwDeviceKernel* kernel = nullptr;
  table().build_kernel(host(), 0, source, name, options, &kernel);
  return kernel;
}

bool has_compiler() {
  const bool has = build(kScale, "scale") != nullptr;
  const std::string error = given_error();
  if (error.find("was not found") == std::string::npos) {
    EXPECT_EQ(error, "");
  }
  return has;
}

OpwLaunch launch_of(const std::vector<OpwKernelArgument>& arguments, uint64_t count) {
  OpwLaunch launch{};
  launch.struct_size = sizeof launch;
  launch.num_arguments = static_cast<uint32_t>(arguments.size());
  launch.arguments = arguments.data();
  launch.groups[0] = count;
  launch.groups[1] = launch.groups[2] = 1;
  return launch;
}

#define OPWRIGHT_NEED_COMPILER() \
  OPWRIGHT_NEED_DEVICE();        \
  if (!has_compiler()) GTEST_SKIP() << "NVRTC is not there"

TEST(CudaSourceKernel, Runs) {
  OPWRIGHT_NEED_COMPILER();
  OpwDeviceKernel* kernel = build(kScale, "scale");
  const Memory in(std::vector<float>{1, 2, 3});
  const Memory out(3 * sizeof(float));
  const int32_t count = 3;
  const float factor = 2.5F;
  const std::vector<OpwKernelArgument> arguments{
      {in.data(), 0}, {out.data(), 0}, {&count, sizeof count}, {&factor, sizeof factor}};
  const OpwLaunch launch = launch_of(arguments, 3);
  expect_ok(table().launch_kernel(host(), 0, kernel, &launch, nullptr));
  EXPECT_EQ(out.read<float>(), (std::vector<float>{2.5F, 5, 7.5F}));
  EXPECT_EQ(build(kScale, "scale"), kernel);
}

TEST(CudaSourceKernel, ShowsTheCompilersLog) {
  OPWRIGHT_NEED_COMPILER();
  EXPECT_EQ(build("extern \"C\" __global__ void broken() { no_such_thing(); }", "broken"), nullptr);
  const std::string error = given_error();
  EXPECT_TRUE(error.starts_with("RuntimeError: the kernel 'broken' cannot be built: ")) << error;
  EXPECT_NE(error.find("broken.cu(1): error: identifier \"no_such_thing\" is undefined"),
            std::string::npos)
      << error;
}

TEST(CudaSourceKernel, TellsANameThatTheSourceLacks) {
  OPWRIGHT_NEED_COMPILER();
  EXPECT_EQ(build(kScale, "scales"), nullptr);
  EXPECT_EQ(given_error(),
            "ValueError: the source has no kernel 'scales': declare it with extern \"C\" __global__"
            " void scales(...)");
}

TEST(CudaSourceKernel, ChecksItsArguments) {
  OPWRIGHT_NEED_COMPILER();
  OpwDeviceKernel* kernel = build(kScale, "scale");
  const Memory memory(12);
  const double factor = 2;
  const std::vector<OpwKernelArgument> few{{memory.data(), 0}};
  OpwLaunch launch = launch_of(few, 3);
  EXPECT_EQ(table().launch_kernel(host(), 0, kernel, &launch, nullptr), 1);
  EXPECT_EQ(given_error(), "TypeError: the kernel 'scale' takes 4 arguments, got 1");

  const int32_t count = 3;
  const std::vector<OpwKernelArgument> wide{
      {memory.data(), 0}, {memory.data(), 0}, {&count, sizeof count}, {&factor, sizeof factor}};
  launch = launch_of(wide, 3);
  EXPECT_EQ(table().launch_kernel(host(), 0, kernel, &launch, nullptr), 1);
  EXPECT_EQ(given_error(), "TypeError: argument 4 of the kernel 'scale' has 4 bytes, got 8");
}

// A process of its own: the fault breaks the device for it.
void write_outside() {
  OpwDeviceKernel* kernel =
      build("extern \"C\" __global__ void wild(float* out) { out[1ll << 40] = 1; }", "wild");
  const Memory memory(4);
  const std::vector<OpwKernelArgument> arguments{{memory.data(), 0}};
  const OpwLaunch launch = launch_of(arguments, 1);
  expect_ok(table().launch_kernel(host(), 0, kernel, &launch, nullptr));
  table().synchronize(host(), 0);
  std::fprintf(stderr, "%s\n", given_error().c_str());
  std::_Exit(0);
}

TEST(CudaSourceKernelFault, TellsAFaultByName) {
  OPWRIGHT_NEED_COMPILER();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(write_outside(), testing::ExitedWithCode(0),
              "RuntimeError: a kernel on cuda:0 failed: an illegal memory access was encountered");
}

}  // namespace
}  // namespace opwright::cuda
