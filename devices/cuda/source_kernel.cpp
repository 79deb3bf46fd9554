#include "devices/cuda/source_kernel.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <cuda.h>

#include "devices/cuda/compiler.h"
#include "devices/cuda/device.h"
#include "devices/cuda/driver_functions.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

// The type behind the table's kernel handles.
struct OpwDeviceKernel {
  std::string name;
  int32_t index;
  CUfunction function;
  std::vector<size_t> argument_sizes;
};

namespace opwright::cuda {
namespace {

constexpr uint64_t kChosenGroup = 256;
constexpr uint64_t kSharedWithoutAsking = 48 << 10;
constexpr uint64_t kMostGroups[3] = {2147483647, 65535, 65535};

OpwDeviceKernel* build(int32_t index, const std::string& source, const std::string& name,
                       const std::string& options) {
  const std::vector<char> code =
      compile_source(source, name, options, device_limits(index).capability);
  const DriverFunctions& call = driver_functions();
  const std::string loading = concatenate("loading the kernel '", name, "'");
  CUlibrary library = nullptr;
  check_driver(call.load(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), loading,
               index);
  CUkernel kernel = nullptr;
  const CUresult found = call.find_kernel(&kernel, library, name.c_str());
  OPWRIGHT_CHECK_VALUE(found != CUDA_ERROR_NOT_FOUND, "the source has no kernel '", name,
                       "': declare it with extern \"C\" __global__ void ", name, "(...)");
  check_driver(found, loading, index);
  CUfunction function = nullptr;
  check_driver(call.function_of(&function, kernel), loading, index);
  std::vector<size_t> sizes;
  size_t offset = 0;
  size_t size = 0;
  while (call.argument_of(kernel, sizes.size(), &offset, &size) == CUDA_SUCCESS) {
    sizes.push_back(size);
  }
  return new OpwDeviceKernel{
      .name = name, .index = index, .function = function, .argument_sizes = std::move(sizes)};
}

struct BuiltKernels {
  std::mutex mutex;
  std::map<std::tuple<int32_t, std::string, std::string, std::string>, OpwDeviceKernel*> all;
};
BuiltKernels& built_kernels() {
  static auto* kernels = new BuiltKernels;  // they live as long as the process
  return *kernels;
}

void check_arguments(const OpwDeviceKernel& kernel, const OpwLaunch& launch) {
  OPWRIGHT_CHECK_TYPE(kernel.argument_sizes.size() == launch.num_arguments, "the kernel '",
                      kernel.name, "' takes ", kernel.argument_sizes.size(), " arguments, got ",
                      launch.num_arguments);
  for (uint32_t i = 0; i < launch.num_arguments; ++i) {
    const size_t given = launch.arguments[i].size == 0 ? sizeof(void*) : launch.arguments[i].size;
    OPWRIGHT_CHECK_TYPE(given == kernel.argument_sizes[i], "argument ", i + 1, " of the kernel '",
                        kernel.name, "' has ", kernel.argument_sizes[i], " bytes, got ", given);
  }
}

struct Grid {
  unsigned blocks[3];
  unsigned threads[3];
};

Grid grid_of(const OpwDeviceKernel& kernel, const OpwLaunch& launch) {
  const bool is_chosen = launch.group_size[0] == 0;
  Grid grid{};
  for (int i = 0; i < 3; ++i) {
    const uint64_t threads = is_chosen ? (i == 0 ? kChosenGroup : 1) : launch.group_size[i];
    const uint64_t blocks =
        is_chosen ? (launch.groups[i] + threads - 1) / threads : launch.groups[i];
    OPWRIGHT_CHECK_VALUE(blocks <= kMostGroups[i] && threads <= 1024, "the kernel '", kernel.name,
                         "' is launched with ", blocks, " groups of ", threads, " along dimension ",
                         i, ": a device takes at most ", kMostGroups[i], " groups of 1024");
    grid.blocks[i] = static_cast<unsigned>(blocks);
    grid.threads[i] = static_cast<unsigned>(std::max<uint64_t>(threads, 1));
  }
  return grid;
}

void allow_shared_bytes(const OpwDeviceKernel& kernel, uint64_t bytes) {
  if (bytes <= kSharedWithoutAsking) return;
  const auto most = static_cast<uint64_t>(device_limits(kernel.index).shared_bytes_per_block);
  OPWRIGHT_CHECK_VALUE(bytes <= most, "the kernel '", kernel.name, "' asks for ", bytes,
                       " shared bytes; cuda:", kernel.index, " has ", most, " for a group");
  check_driver(driver_functions().set_attribute(kernel.function,
                                                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                static_cast<int>(bytes)),
               concatenate("giving shared memory to the kernel '", kernel.name, "'"), kernel.index);
}

void launch_on_device(const OpwDeviceKernel& kernel, const OpwLaunch& launch, OpwStream* stream) {
  OPWRIGHT_CHECK_VALUE(launch.groups[0] > 0 && launch.groups[1] > 0 && launch.groups[2] > 0,
                       "the kernel '", kernel.name,
                       "' is launched with no groups: each of the three counts must be at least 1");
  check_arguments(kernel, launch);
  const Grid grid = grid_of(kernel, launch);
  allow_shared_bytes(kernel, launch.shared_bytes);
  std::vector<const void*> memory(launch.num_arguments);
  std::vector<void*> places(launch.num_arguments);
  for (uint32_t i = 0; i < launch.num_arguments; ++i) {
    const OpwKernelArgument& argument = launch.arguments[i];
    memory[i] = argument.value;
    places[i] = argument.size == 0 ? static_cast<void*>(&memory[i])
                                   : const_cast<void*>(argument.value);  // only read
  }
  check_driver(driver_functions().launch(
                   kernel.function, grid.blocks[0], grid.blocks[1], grid.blocks[2], grid.threads[0],
                   grid.threads[1], grid.threads[2], static_cast<unsigned>(launch.shared_bytes),
                   reinterpret_cast<CUstream>(stream), places.data(), nullptr),
               concatenate("launching the kernel '", kernel.name, "'"), kernel.index);
}

}  // namespace

int build_kernel_cuda(const OpwHost* host, int32_t index, const char* source, const char* name,
                      const char* options, OpwDeviceKernel** kernel) {
  return run_on(host, index, [&] {
    BuiltKernels& built = built_kernels();
    const std::lock_guard lock(built.mutex);
    OpwDeviceKernel*& found = built.all[{index, name, options ? options : "", source}];
    if (!found) found = build(index, source, name, options ? options : "");
    *kernel = found;
  });
}

int launch_kernel_cuda(const OpwHost* host, int32_t index, OpwDeviceKernel* kernel,
                       const OpwLaunch* launch, OpwStream* stream) {
  return run_on(host, index, [&] {
    OPWRIGHT_CHECK_VALUE(kernel->index == index, "the kernel '", kernel->name,
                         "' was built for cuda:", kernel->index,
                         " and cannot be launched on cuda:", index);
    launch_on_device(*kernel, *launch, stream);
  });
}

}  // namespace opwright::cuda
