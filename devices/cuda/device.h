// Shared by the files of the plug-in: CUDA's errors as Opwright's, the device of a call, temporary
// memory, and launches.
//
// Functions of the table run their body in `run_on`, which refuses to work in a forked process and
// makes the device current for CUDA's runtime:
//
//   int compute_loop_cuda(const OpwHost* host, int32_t index, const OpwLoop* loop,
//                         OpwStream* stream) {
//     return run_on(host, index, [&] {
//       loop_elements<<<blocks_for(count, 256), 256, 0, cuda_stream(stream)>>>(...);
//       check_launch("loop", index);
//     });
//   }
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>
#include <driver_types.h>

#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/plugin/device_plugin.h"

namespace opwright::cuda {

// ---- Errors ----

// The error of a status, in the user's terms; `what` is the attempted action: "copying to the cpu".
// A fault of an earlier kernel is reported as one.
[[noreturn]] void throw_cuda_error(cudaError_t status, const char* what, int32_t index);
inline void check_cuda(cudaError_t status, const char* what, int32_t index = -1) {
  if (status != cudaSuccess) [[unlikely]]
    throw_cuda_error(status, what, index);
}
// After a launch, which returns no status. `kernel` is named in the error.
void check_launch(const char* kernel, int32_t index);

// ---- The device of a call ----

// The number of devices; 0 without a driver. The first call starts the driver.
int32_t device_count() noexcept;
// RuntimeError or IndexError that says why `index` cannot be used: no driver, no such device, a
// forked process. Then makes it current for CUDA's runtime on this thread.
void use_device(int32_t index);
// This thread's device of the table, and the one last set in CUDA's runtime.
int32_t current_device() noexcept;
int32_t device_in_use() noexcept;

// Makes `index` current for CUDA's runtime until the end of the scope. Scopes nest.
class [[nodiscard]] DeviceScope {
 public:
  explicit DeviceScope(int32_t index) : previous_(device_in_use()), index_(index) {
    use_device(index);
  }
  ~DeviceScope() {
    if (index_ != previous_) [[unlikely]]
      return_to(previous_);
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  static void return_to(int32_t index) noexcept;

  int32_t previous_;
  int32_t index_;
};

// Runs the body of a function of the table on the device: 0, or 1 with the error set in `host`.
template <class Body>
int run_on(const OpwHost* host, int32_t index, const Body& body) noexcept {
  return give_status(host, [&] {
    const DeviceScope scope(index);
    body();
  });
}

inline cudaStream_t cuda_stream(OpwStream* stream) {
  return reinterpret_cast<cudaStream_t>(stream);
}
// The stream that this thread queues work of the device on.
OpwStream* current_stream_of(int32_t index) noexcept;

// Limits for launches; queried once.
struct DeviceLimits {
  int32_t multiprocessors;
  int32_t threads_per_multiprocessor;
  int32_t shared_bytes_per_block;  // with cudaFuncAttributeMaxDynamicSharedMemorySize raised
  int32_t capability;              // 90 for 9.0
  int64_t cache_bytes;             // of the second level
};
const DeviceLimits& device_limits(int32_t index);

// ---- Memory ----

// Temporary device memory for a call: freed in order on the stream.
class Workspace {
 public:
  Workspace(int32_t index, size_t bytes, OpwStream* stream);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  [[nodiscard]] void* data() const noexcept { return data_; }
  template <class T>
  [[nodiscard]] T* as() const noexcept {
    return static_cast<T*>(data_);
  }

 private:
  int32_t index_;
  OpwStream* stream_;
  void* data_;  // null if no bytes were requested
};

// ---- Launches ----

// The number of blocks of `threads` for `count` > 0 elements, `per_thread` each.
constexpr int64_t blocks_for(int64_t count, int64_t threads, int64_t per_thread = 1) {
  const int64_t per_block = threads * per_thread;
  return (count + per_block - 1) / per_block;
}
// The same for a grid-stride kernel: no more blocks than keep the device busy.
inline unsigned busy_blocks_for(int32_t index, int64_t count, int64_t threads,
                                int64_t per_thread = 1, int64_t waves = 8) {
  const DeviceLimits& limits = device_limits(index);
  const int64_t most =
      waves * limits.multiprocessors * (limits.threads_per_multiprocessor / threads);
  return static_cast<unsigned>(std::min(blocks_for(count, threads, per_thread), most));
}

// ---- Element types ----

constexpr DType dtype_of(OpwDtype dtype) {
  return static_cast<DType>(static_cast<uint32_t>(dtype.code) |
                            static_cast<uint32_t>(dtype.bits) << 8 |
                            static_cast<uint32_t>(dtype.lanes) << 16);
}

// Calls body.template operator()<T>() with the type of a dtype's elements on the device. The
// complex and eight-bit floating dtypes have none: NotImplementedError, which names `who`.
template <class Body>
void for_element_type(DType dtype, const char* who, const Body& body) {
  if (is_integral(dtype)) return for_integral_dtype(dtype, who, body);
  switch (dtype) {
    case DType::Bool:
      return body.template operator()<bool>();
    case DType::Float16:
      return body.template operator()<__half>();
    case DType::BFloat16:
      return body.template operator()<__nv_bfloat16>();
    case DType::Float32:
      return body.template operator()<float>();
    case DType::Float64:
      return body.template operator()<double>();
    default:
      throw_error("NotImplementedError", who, " does not compute ", dtype, " on cuda");
  }
}

}  // namespace opwright::cuda
