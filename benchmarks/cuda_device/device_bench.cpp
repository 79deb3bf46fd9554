// Prints nanoseconds on a CUDA device, one line for each figure:
//   allocation 85.2    one allocation from the plug-in's cache, and its release
//   launch 2100.0      one launch of an empty kernel by the driver, a lower bound of every operator
// The argument is the plug-in's path; its table is called as a host calls it.
#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <cuda.h>

#include "opwright/c_api.h"

namespace {

template <class Function>
double nanoseconds_of(int times, const Function& function) {
  function();  // the first call initializes the device
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) function();
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - began;
  return elapsed.count() / times;
}

void require(bool is_ok, const char* what) {
  if (is_ok) return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}

void* open_library(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  require(library, path);
  return library;
}

template <class Function>
Function* function_of(void* library, const char* name) {
  void* found = dlsym(library, name);
  require(found, name);
  return reinterpret_cast<Function*>(found);
}

// ---- The plug-in ----

OpwHost make_host() {
  OpwHost host{};
  host.struct_size = sizeof(OpwHost);
  host.abi_major = OPW_ABI_MAJOR;
  host.abi_minor = OPW_ABI_MINOR;
  host.name = "bench";
  host.give_error = [](const OpwHost*, OpwError*) {};
  host.take_error = [](const OpwHost*) -> OpwError* { return nullptr; };
  return host;
}

double allocation_time(void* plugin) {
  const auto get = reinterpret_cast<OpwBinaryFunction>(dlsym(plugin, OPW_BINARY_SYMBOL));
  const OpwDeviceTable& table = *get()->devices->table;
  const OpwHost host = make_host();
  constexpr size_t kBytes = 4096;
  OpwStream* stream = table.current_stream(0);
  return nanoseconds_of(1'000'000, [&] {
    void* memory = nullptr;
    require(table.allocate(&host, 0, kBytes, stream, &memory) == 0, "allocate");
    table.free(0, memory, kBytes, stream);
  });
}

// ---- The driver ----

constexpr const char* kEmptyKernel =
    ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry empty() { ret; }\n";

double launch_time() {
  void* driver = open_library("libcuda.so.1");
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  require(function_of<decltype(cuInit)>(driver, "cuInit")(0) == CUDA_SUCCESS, "cuInit");
  auto* retain =
      function_of<decltype(cuDevicePrimaryCtxRetain)>(driver, "cuDevicePrimaryCtxRetain");
  auto* set = function_of<decltype(cuCtxSetCurrent)>(driver, "cuCtxSetCurrent");
  require(retain(&context, 0) == CUDA_SUCCESS && set(context) == CUDA_SUCCESS, "the context");
  auto* load = function_of<decltype(cuModuleLoadData)>(driver, "cuModuleLoadData");
  auto* find = function_of<decltype(cuModuleGetFunction)>(driver, "cuModuleGetFunction");
  require(load(&module, kEmptyKernel) == CUDA_SUCCESS, "cuModuleLoadData");
  require(find(&kernel, module, "empty") == CUDA_SUCCESS, "cuModuleGetFunction");
  auto* launch = function_of<decltype(cuLaunchKernel)>(driver, "cuLaunchKernel");
  return nanoseconds_of(20'000,
                        [&] { launch(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr); });
}

}  // namespace

int main(int argc, char** argv) {
  void* plugin = open_library(argc > 1 ? argv[1] : OPWRIGHT_CUDA_PLUGIN);
  std::printf("allocation %.1f\n", allocation_time(plugin));
  std::printf("launch %.1f\n", launch_time());
  return 0;
}
