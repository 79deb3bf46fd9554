// torch's stable C ABI, looked up in the process at run time: building needs neither a header nor a
// library of torch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// A value on torch's stack (StableIValue, 64 bits).
using StableValue = uint64_t;

// torch's type; opaque here.
struct AtenTensor;
struct AtenGenerator;
struct DeviceGuard;
struct LibraryBlock;
struct StableList;
struct StableString;
using AtenTensorHandle = AtenTensor*;
using AtenGeneratorHandle = AtenGenerator*;

using StableKernel = void (*)(StableValue* stack, uint64_t num_args, uint64_t num_results);
// 0, or the number of an error whose text torch keeps.
using Status = int32_t;

// major << 56 | minor << 48 | patch << 40, as torch packs it.
constexpr uint64_t torch_version(uint64_t major, uint64_t minor) {
  return major << 56 | minor << 48;
}

// The functions that the bridge uses. One that is newer than torch 2.9 may be null; the comment of
// its group names the version that introduced it.
struct StableAbi {
  uint64_t version = 0;        // of the torch in this process
  uint64_t build_version = 0;  // whose conventions we use: at most those of 2.13

  Status (*new_tensor_handle)(AtenTensorHandle tensor, AtenTensorHandle* alias);
  Status (*delete_tensor)(AtenTensorHandle tensor);
  Status (*get_dim)(AtenTensorHandle tensor, int64_t* ndim);
  Status (*get_sizes)(AtenTensorHandle tensor, int64_t** borrowed);
  Status (*get_strides)(AtenTensorHandle tensor, int64_t** borrowed);
  Status (*get_dtype)(AtenTensorHandle tensor, int32_t* dtype);
  Status (*get_device_type)(AtenTensorHandle tensor, int32_t* type);
  Status (*get_device_index)(AtenTensorHandle tensor, int32_t* index);
  Status (*get_layout)(AtenTensorHandle tensor, int32_t* layout);
  Status (*get_data)(AtenTensorHandle tensor, void** data);
  Status (*empty_strided)(int64_t ndim, const int64_t* sizes, const int64_t* strides, int32_t dtype,
                          int32_t device_type, int32_t device_index, AtenTensorHandle* tensor);

  Status (*open_fragment)(const char* name_space, const char* file, uint32_t line,
                          LibraryBlock** block);
  Status (*open_implementations)(const char* name_space, const char* key, const char* file,
                                 uint32_t line, LibraryBlock** block);
  Status (*define)(LibraryBlock* block, const char* schema);
  Status (*implement_2_9)(LibraryBlock* block, const char* name, StableKernel kernel);
  Status (*close_block)(LibraryBlock* block);
  Status (*call_2_9)(const char* name, const char* overload, StableValue* stack);
  bool (*is_grad_enabled)();
  Status (*new_device_guard)(int32_t index, DeviceGuard** guard);
  Status (*delete_device_guard)(DeviceGuard* guard);

  // 2.10
  Status (*implement)(LibraryBlock* block, const char* name, StableKernel kernel, uint64_t version);
  Status (*call)(const char* name, const char* overload, StableValue* stack, uint64_t version);
  Status (*get_const_data)(AtenTensorHandle tensor, const void** data);
  Status (*new_list)(size_t capacity, StableList** list);
  Status (*list_size)(StableList* list, size_t* size);
  Status (*list_item)(StableList* list, size_t index, StableValue* item);
  Status (*list_append)(StableList* list, StableValue item);
  Status (*delete_list)(StableList* list);
  Status (*new_string)(const char* characters, size_t length, StableString** string);
  Status (*string_length)(StableString* string, size_t* length);
  Status (*string_characters)(StableString* string, const char** characters);
  Status (*delete_string)(StableString* string);
  Status (*parallel_for)(int64_t begin, int64_t end, int64_t grain,
                         void (*body)(int64_t begin, int64_t end, void* context), void* context);
  // 2.12
  Status (*define_with_tags)(LibraryBlock* block, const char* schema, const int32_t* tags,
                             int32_t num_tags);
  // 2.13
  const char* (*error_text)();
  Status (*new_value)(StableValue** value);
  Status (*delete_value)(StableValue* value);
  Status (*new_generator_handle)(AtenGeneratorHandle generator, AtenGeneratorHandle* alias);
  Status (*delete_generator)(AtenGeneratorHandle generator);
  // From libtorch_cuda.so, if it is loaded.
  Status (*current_cuda_stream)(int32_t device_index, void** stream);
};

// Filled by require_torch.
extern StableAbi torch_abi;

// A handle that is deleted unless it is released; it may be null.
class OwnedHandle {
 public:
  explicit OwnedHandle(AtenTensorHandle handle) : handle_(handle) {}
  OwnedHandle(const OwnedHandle&) = delete;
  OwnedHandle& operator=(const OwnedHandle&) = delete;
  ~OwnedHandle() {
    if (handle_) torch_abi.delete_tensor(handle_);
  }

  [[nodiscard]] AtenTensorHandle get() const { return handle_; }
  AtenTensorHandle give() { return std::exchange(handle_, nullptr); }
  // Only after the previous handle was released.
  void set(AtenTensorHandle handle) { handle_ = handle; }

 private:
  AtenTensorHandle handle_;
};

// Finds torch in this process; once. ImportError if it is missing or older than 2.9.
void require_torch();

// "2.13.0"
[[nodiscard]] std::string torch_version_text();
// A symbol of libtorch_cpu.so or its dependencies; null if there is none.
[[nodiscard]] void* find_torch_symbol(const char* name);

// torch's description of the error of the last call.
[[nodiscard]] std::string torch_error_text(const char* what);
// RuntimeError with that text.
[[noreturn]] void throw_torch_error(const char* what);
// `what` describes the attempted action: "reading a tensor".
inline void require_success(Status status, const char* what) {
  if (status != 0) [[unlikely]]
    throw_torch_error(what);
}

}  // namespace opwright::torch_bridge
