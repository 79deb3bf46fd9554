// The plug-in as a host sees it: the table of the loaded binary, and a host that keeps the error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opwright/c_api.h"

namespace opwright::cuda {

// Loads the binary at the first call, or the one that the environment variable OPWRIGHT_CUDA_PLUGIN
// names. Lives as long as the process.
const OpwBinary& plugin();
const OpwDeviceTable& table();
const OpwHost* host();

// "RuntimeError: ..." of the last error, or empty.
std::string given_error();
// Fails the test where a function of the table failed.
void expect_ok(int status);

std::string property(const char* key, int32_t index = 0);

inline constexpr OpwDevice kCpuDevice{kOpwDeviceCpu, 0};
inline constexpr OpwDevice kCudaDevice{kOpwDeviceCuda, 0};

// Memory of cuda:0 for the length of a test.
class Memory {
 public:
  explicit Memory(size_t bytes, OpwStream* stream = nullptr);
  template <class T>
  explicit Memory(const std::vector<T>& values) : Memory(values.size() * sizeof(T)) {
    fill_from(values.data());
  }
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  template <class T>
  [[nodiscard]] std::vector<T> read() const {
    std::vector<T> values(bytes_ / sizeof(T));
    copy_to(values.data());
    return values;
  }

 private:
  void fill_from(const void* from) const;
  void copy_to(void* to) const;

  size_t bytes_;
  OpwStream* stream_;
  void* data_ = nullptr;
};

}  // namespace opwright::cuda

// Leaves a test that needs a device, and says why.
#define OPWRIGHT_NEED_DEVICE()                                                        \
  if (::opwright::cuda::table().count() == 0) {                                       \
    GTEST_SKIP() << "CUDA WAS NOT TESTED: " << ::opwright::cuda::property("problem"); \
  }                                                                                   \
  static_assert(true)

#define OPWRIGHT_NEED_TWO_DEVICES() \
  OPWRIGHT_NEED_DEVICE();           \
  if (::opwright::cuda::table().count() < 2) GTEST_SKIP() << "there is one device"
