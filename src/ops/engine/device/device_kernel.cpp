// The operators opwright::build_kernel and opwright::launch_kernel, which give kernels in any
// binary access to the compilers of the host's devices (opwright/source_kernel.h).
#include "opwright/ops/engine/device/device_kernel.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "opwright/base/core_host.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dispatch/property.h"
#include "opwright/dispatch/row.h"
#include "opwright/error.h"
#include "opwright/library.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/stream.h"

namespace opwright {
namespace {

constexpr size_t kWord = sizeof(int64_t);

// The names of built kernels, for errors.
struct KernelNames {
  std::mutex mutex;
  std::map<const OpwDeviceKernel*, std::string> names;
};
KernelNames& kernel_names() {
  static auto* all = new KernelNames;
  return *all;
}

const OpwDeviceTable& table_with_compiler(Device device) {
  const OpwDeviceTable& table = device_table(device.type);
  OPWRIGHT_CHECK_KIND("NotImplementedError", table.build_kernel && table.launch_kernel,
                      "source kernel: the device ", table.name,
                      " has no compiler (build_kernel, launch_kernel)");
  return table;
}

int64_t build_kernel(Device device, const std::string& source, const std::string& name,
                     const std::string& options) {
  OpwDeviceKernel* kernel = build_device_kernel(resolve_device(device), source, name, options);
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(kernel));
}

void read_extents(std::span<const int64_t> from, uint64_t (&to)[3], uint64_t missing, int64_t least,
                  const char* what) {
  OPWRIGHT_CHECK_VALUE(from.size() <= 3, "source kernel: ", what, " has at most 3 dimensions, got ",
                       from.size());
  for (size_t i = 0; i < 3; ++i) {
    if (i >= from.size()) {
      to[i] = missing;
      continue;
    }
    OPWRIGHT_CHECK_VALUE(from[i] >= least, "source kernel: ", what, " must be at least ", least,
                         ", got ", from[i]);
    to[i] = static_cast<uint64_t>(from[i]);
  }
}

// Argument i is sizes[i] bytes of the next words or, if that is 0, the memory whose address is the
// next word.
std::vector<OpwKernelArgument> read_arguments(std::span<const int64_t> words,
                                              std::span<const int64_t> sizes) {
  std::vector<OpwKernelArgument> arguments;
  size_t next = 0;
  for (const int64_t size : sizes) {
    const size_t bytes = static_cast<size_t>(size);
    const size_t num_words = size == 0 ? 1 : (bytes + kWord - 1) / kWord;
    OPWRIGHT_CHECK_VALUE(size >= 0 && num_words <= words.size() - next,
                         "source kernel: the sizes of the arguments do not fit their words");
    const void* value = size == 0
                            ? reinterpret_cast<const void*>(static_cast<intptr_t>(words[next]))
                            : &words[next];
    arguments.push_back({value, bytes});
    next += num_words;
  }
  return arguments;
}

void launch_kernel(Device device, int64_t kernel, std::span<const int64_t> groups,
                   std::span<const int64_t> group_size, int64_t shared_bytes,
                   std::span<const int64_t> words, std::span<const int64_t> sizes) {
  OpwLaunch launch{};
  launch.struct_size = sizeof launch;
  const std::vector<OpwKernelArgument> arguments = read_arguments(words, sizes);
  launch.num_arguments = static_cast<uint32_t>(arguments.size());
  launch.arguments = arguments.data();
  read_extents(groups, launch.groups, 1, 0, "groups");
  read_extents(group_size, launch.group_size, group_size.empty() ? 0 : 1, 1, "group_size");
  launch.shared_bytes = static_cast<uint64_t>(shared_bytes);
  launch_device_kernel(resolve_device(device),
                       reinterpret_cast<OpwDeviceKernel*>(static_cast<intptr_t>(kernel)), launch);
}

}  // namespace

OpwDeviceKernel* build_device_kernel(Device device, const std::string& source,
                                     const std::string& name, const std::string& options) {
  OpwDeviceKernel* kernel = nullptr;
  require_ok(table_with_compiler(device).build_kernel(&core_host(), device.index, source.c_str(),
                                                      name.c_str(), options.c_str(), &kernel));
  const std::lock_guard lock(kernel_names().mutex);
  kernel_names().names[kernel] = name;
  return kernel;
}

void launch_device_kernel(Device device, OpwDeviceKernel* kernel, const OpwLaunch& launch) {
  if (launch.groups[0] == 0 || launch.groups[1] == 0 || launch.groups[2] == 0) return;
  const OpwDeviceTable& table = table_with_compiler(device);
  try {
    require_ok(table.launch_kernel(&core_host(), device.index, kernel, &launch,
                                   current_device_stream(device)));
    if (synchronizes_calls()) require_ok(table.synchronize(&core_host(), device.index));
  } catch (Error& error) {
    const std::lock_guard lock(kernel_names().mutex);
    error.add_note("kernel",
                   concatenate("in the source kernel '", kernel_names().names[kernel], "'"));
    throw;
  }
}

OPWRIGHT_LIBRARY_FRAGMENT(opwright, m) {
  m.def("build_kernel(Device device, str source, str name, str options) -> int", &build_kernel,
        with_properties({}, {Property::Internal}));
  m.def(
      "launch_kernel(Device device, int kernel, int[] groups, int[] group_size, int shared_bytes, "
      "int[] words, int[] sizes) -> ()",
      &launch_kernel, with_properties({}, {Property::Internal}));
}

}  // namespace opwright
