#include "tests/devices/cuda_runtime/plugin/plugin.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "opwright/c_api.h"

namespace opwright::cuda {
namespace {

std::string last_error;

void keep_error(const OpwHost* /*host*/, OpwError* error) {
  last_error = std::string(error->kind) + ": " + error->text;
  error->release(error);
}

const OpwHost kHost{.struct_size = sizeof(OpwHost),
                    .abi_major = OPW_ABI_MAJOR,
                    .abi_minor = OPW_ABI_MINOR,
                    .name = "test",
                    .instance = nullptr,
                    .give_error = &keep_error,
                    .take_error = nullptr,
                    .parallel_for = nullptr,
                    .call = nullptr};

const OpwBinary* load() {
  void* library = dlopen(OPWRIGHT_CUDA_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  void* symbol = library ? dlsym(library, OPW_BINARY_SYMBOL) : nullptr;
  if (!symbol) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::abort();
  }
  return reinterpret_cast<OpwBinaryFunction>(symbol)();
}

}  // namespace

const OpwBinary& plugin() {
  static const OpwBinary* loaded = load();
  return *loaded;
}

const OpwDeviceTable& table() { return *plugin().devices->table; }

const OpwHost* host() { return &kHost; }

std::string given_error() { return std::exchange(last_error, {}); }

void expect_ok(int status) { EXPECT_EQ(status, 0) << given_error(); }

std::string property(const char* key, int32_t index) {
  std::string text(table().property(index, key, nullptr, 0), '\0');
  table().property(index, key, text.data(), text.size() + 1);
  return text;
}

Memory::Memory(size_t bytes, OpwStream* stream) : bytes_(bytes), stream_(stream) {
  expect_ok(table().allocate(host(), 0, bytes, stream, &data_));
}

Memory::~Memory() { table().free(0, data_, bytes_, stream_); }

void Memory::fill_from(const void* from) const {
  expect_ok(table().copy(host(), data_, kCudaDevice, from, kCpuDevice, bytes_, stream_));
}

void Memory::copy_to(void* to) const {
  expect_ok(table().copy(host(), to, kCpuDevice, data_, kCudaDevice, bytes_, stream_));
}

}  // namespace opwright::cuda
