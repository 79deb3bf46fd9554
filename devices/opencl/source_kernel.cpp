#include "source_kernel.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "device.h"
#include "kernel_cache.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "stream.h"

namespace opwright::opencl {
namespace {

Kernel& kernel_of(OpwDeviceKernel* kernel) { return *reinterpret_cast<Kernel*>(kernel); }

}  // namespace

void build_kernel(int32_t index, const char* source, const char* name, const char* options,
                  OpwDeviceKernel** kernel) {
  const std::string chosen = options != nullptr ? options : "";
  const std::string key = concatenate("source\n", name, "\n", chosen, "\n", source);
  Kernel& found = find_device(index).kernels().find(key, [&] {
    return KernelText{source, name, chosen, concatenate("the kernel '", name, "'")};
  });
  *kernel = reinterpret_cast<OpwDeviceKernel*>(&found);
}

void launch_kernel(int32_t index, OpwDeviceKernel* kernel, const OpwLaunch* launch,
                   OpwStream* stream) {
  Kernel& called = kernel_of(kernel);
  Device& device = find_device(index);
  const uint32_t given = launch->num_arguments + (launch->shared_bytes != 0 ? 1 : 0);
  OPWRIGHT_CHECK_TYPE(given == called.num_arguments, "opencl: ", called.what, " takes ",
                      called.num_arguments, " arguments, got ", given,
                      launch->shared_bytes != 0 ? " with the local memory, which is the last" : "");
  KernelCall call(called);
  for (uint32_t i = 0; i < launch->num_arguments; ++i) {
    const OpwKernelArgument& argument = launch->arguments[i];
    if (argument.size == 0) {
      call.memory(argument.value);
    } else {
      call.bytes(argument.value, argument.size);
    }
  }
  if (launch->shared_bytes != 0) call.local(static_cast<size_t>(launch->shared_bytes));
  WorkSize global{};
  WorkSize local{};
  const bool is_free = launch->group_size[0] == 0;
  for (size_t i = 0; i < 3; ++i) {
    local[i] = static_cast<size_t>(launch->group_size[i]);
    global[i] = static_cast<size_t>(is_free ? launch->groups[i]
                                            : launch->groups[i] * launch->group_size[i]);
  }
  call.run(queue_of(device, stream), global, local);
}

}  // namespace opwright::opencl
