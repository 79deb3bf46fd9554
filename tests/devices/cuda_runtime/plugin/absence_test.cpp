// What the plug-in is and says on any machine, with a device or without one.
#include <dlfcn.h>

#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "opwright/c_api.h"
#include "tests/devices/cuda_runtime/plugin/plugin.h"

namespace opwright::cuda {
namespace {

bool has_mapped(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  std::stringstream text;
  text << maps.rdbuf();
  return text.str().find(name) != std::string::npos;
}

// First in the file: nothing has used a device yet.
TEST(CudaPlugin, LoadsWithoutADriver) {
  EXPECT_EQ(plugin().abi_major, OPW_ABI_MAJOR);
  EXPECT_EQ(plugin().abi_minor, OPW_ABI_MINOR);
  EXPECT_EQ(std::string_view(table().name), "cuda");
  EXPECT_EQ(table().type, kOpwDeviceCuda);
  EXPECT_EQ(plugin().devices->next, nullptr);
  EXPECT_TRUE(has_mapped("libopwright_cuda.so"));
  EXPECT_FALSE(has_mapped("libcuda.so"));
}

TEST(CudaPlugin, HasEveryFunctionOfTheTable) {
  static_assert(sizeof(OpwDeviceTable) % sizeof(void*) == 0);
  const auto* words = reinterpret_cast<void* const*>(&table());
  for (size_t i = offsetof(OpwDeviceTable, count) / sizeof(void*);
       i < sizeof(OpwDeviceTable) / sizeof(void*); ++i) {
    EXPECT_NE(words[i], nullptr) << "function " << i;
  }
}

TEST(CudaPlugin, TellsWhyThereIsNoDevice) {
  if (table().count() > 0) GTEST_SKIP() << "there is a device";
  const std::string problem = property("problem");
  EXPECT_FALSE(problem.empty());
  void* memory = nullptr;
  EXPECT_EQ(table().allocate(host(), 0, 4, nullptr, &memory), 1);
  EXPECT_EQ(given_error(), "RuntimeError: nothing runs on cuda here: " + problem);
  EXPECT_EQ(table().synchronize(host(), 0), 1);
  EXPECT_EQ(given_error(), "RuntimeError: nothing runs on cuda here: " + problem);
}

TEST(CudaPlugin, NamesTheMissingDriver) {
  if (table().count() > 0 || dlopen("libcuda.so.1", RTLD_NOW)) GTEST_SKIP() << "there is a driver";
  EXPECT_EQ(property("problem"),
            "no NVIDIA driver (libcuda.so.1 not found): install one, or run on another device");
}

TEST(CudaPlugin, CountsNothingBeforeTheFirstAllocation) {
  if (table().count() > 0) GTEST_SKIP() << "there is a device";
  EXPECT_EQ(table().statistic(0, "allocated"), 0);
  EXPECT_EQ(table().statistic(0, "pinned_reserved"), 0);
  EXPECT_EQ(table().statistic(0, "colour"), -1);
  table().empty_cache(0);
  table().reset_peaks(0);
  table().free(0, nullptr, 4, nullptr);
}

TEST(CudaPlugin, RemembersTheStreamOfAThread) {
  int place = 0;
  auto* stream = reinterpret_cast<OpwStream*>(&place);
  EXPECT_EQ(table().current_stream(0), nullptr);
  EXPECT_EQ(table().set_current_stream(0, stream), nullptr);
  EXPECT_EQ(table().current_stream(0), stream);
  EXPECT_EQ(table().current_stream(1), nullptr);
  EXPECT_EQ(table().set_current_stream(0, nullptr), stream);
}

TEST(CudaPlugin, TellsItsVersionAndHowItMultiplies) {
  EXPECT_EQ(property("runtime_version"), "13.0");
  const std::string products = property("matmul");
  EXPECT_TRUE(products.starts_with("cuBLASLt 1") ||
              products ==
                  "kernels of the plug-in: libcublasLt.so.13 was not found: install nvidia-cublas "
                  "with pip, or name its folder in OPWRIGHT_CUDA_LIBRARIES")
      << products;
  EXPECT_EQ(property("colour"), "");
}

}  // namespace
}  // namespace opwright::cuda
