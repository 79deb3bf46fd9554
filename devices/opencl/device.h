// The devices of the installed OpenCL platforms that have version 2.0 or later and shared virtual
// memory. OPWRIGHT_OPENCL_PLATFORM, a part of a platform's name, selects platforms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <CL/cl.h>

#include "devices/opencl/kernel_cache.h"
#include "devices/opencl/memory.h"
#include "devices/opencl/stream.h"
#include "opwright/c_api.h"

namespace opwright::opencl {

class Device {
 public:
  Device(int32_t index, cl_device_id id);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] int32_t index() const { return index_; }
  [[nodiscard]] cl_device_id id() const { return id_; }
  [[nodiscard]] cl_context context() const { return context_; }
  [[nodiscard]] cl_command_queue queue() const { return queue_; }
  [[nodiscard]] bool has_double() const { return has_double_; }
  [[nodiscard]] bool has_long_atomics() const { return has_long_atomics_; }
  [[nodiscard]] uint32_t compute_units() const { return compute_units_; }
  // The build options of every program of the plug-in.
  [[nodiscard]] const std::string& build_options() const { return build_options_; }
  [[nodiscard]] Memory& memory() { return memory_; }
  [[nodiscard]] KernelCache& kernels() { return kernels_; }

  void add_stream(OpwStream* stream);
  void remove_stream(OpwStream* stream);
  // Waits for the default stream and all others.
  void finish_all();

 private:
  int32_t index_;
  cl_device_id id_;
  cl_context context_;
  cl_command_queue queue_;
  bool has_double_, has_long_atomics_;
  uint32_t compute_units_;
  std::string build_options_;
  Memory memory_;
  KernelCache kernels_;
  std::mutex mutex_;
  std::vector<OpwStream*> streams_;
};

// A device by its index. RuntimeError if there is none (with what is missing), if the index is out
// of range, or after a fork.
[[nodiscard]] Device& find_device(int32_t index);
// For functions that cannot fail.
[[nodiscard]] Device* find_device_or_null(int32_t index) noexcept;
// Text information about a device, e.g. CL_DEVICE_NAME.
[[nodiscard]] std::string device_text(cl_device_id id, cl_device_info key);

// The functions of the table; those that can fail throw.
int32_t device_count();
int32_t current_device();
void set_current_device(int32_t index);
size_t device_property(int32_t index, const char* key, char* buffer, size_t capacity);

}  // namespace opwright::opencl
