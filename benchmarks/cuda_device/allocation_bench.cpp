// Prints the nanoseconds of one allocation from the cache of the CUDA plug-in and its return:
// "allocation 85.2". The argument is the plug-in's path; its table is called as a host does.
#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <cstdio>

#include "opwright/c_api.h"

namespace {

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

}  // namespace

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : dlopen(OPWRIGHT_CUDA_PLUGIN, RTLD_NOW);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const auto get = reinterpret_cast<OpwBinaryFunction>(dlsym(library, OPW_BINARY_SYMBOL));
  const OpwDeviceTable& table = *get()->devices->table;
  const OpwHost host = make_host();
  constexpr int kTimes = 1'000'000;
  constexpr size_t kBytes = 4096;
  OpwStream* stream = table.current_stream(0);
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimes; ++i) {
    void* memory = nullptr;
    if (table.allocate(&host, 0, kBytes, stream, &memory) != 0) {
      std::fprintf(stderr, "allocate failed\n");
      return 1;
    }
    table.free(0, memory, kBytes, stream);
  }
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - began;
  std::printf("allocation %.1f\n", elapsed.count() / kTimes);
  return 0;
}
