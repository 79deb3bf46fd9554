#include "bridges/torch/stable_abi.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>

#include "bridges/torch/torch_numbers.h"
#include "opwright/error.h"

namespace opwright::torch_bridge {

StableAbi torch_abi;

namespace {

void* torch_library = nullptr;

template <class F>
void find_in_torch(F*& function, const char* name) {
  function = reinterpret_cast<F*>(dlsym(torch_library, name));
}
template <class F>
void find_required(F*& function, const char* name) {
  find_in_torch(function, name);
  if (!function) {
    throw_error("ImportError", "the torch in this process has no ", name,
                ": opwright.torch needs torch 2.9 or newer");
  }
}

void find_tensor_functions(StableAbi& abi) {
  find_required(abi.new_tensor_handle, "aoti_torch_new_tensor_handle");
  find_required(abi.delete_tensor, "aoti_torch_delete_tensor_object");
  find_required(abi.get_dim, "aoti_torch_get_dim");
  find_required(abi.get_sizes, "aoti_torch_get_sizes");
  find_required(abi.get_strides, "aoti_torch_get_strides");
  find_required(abi.get_dtype, "aoti_torch_get_dtype");
  find_required(abi.get_device_type, "aoti_torch_get_device_type");
  find_required(abi.get_device_index, "aoti_torch_get_device_index");
  find_required(abi.get_layout, "aoti_torch_get_layout");
  find_required(abi.get_data, "aoti_torch_get_data_ptr");
  find_required(abi.empty_strided, "aoti_torch_empty_strided");
  find_in_torch(abi.get_const_data, "torch_get_const_data_ptr");
}

void find_dispatcher_functions(StableAbi& abi) {
  find_required(abi.open_fragment, "aoti_torch_library_init_fragment");
  find_required(abi.open_implementations, "aoti_torch_library_init_impl");
  find_required(abi.define, "aoti_torch_library_def");
  find_required(abi.implement_2_9, "aoti_torch_library_impl");
  find_required(abi.close_block, "aoti_torch_delete_library_object");
  find_required(abi.call_2_9, "aoti_torch_call_dispatcher");
  find_required(abi.is_grad_enabled, "aoti_torch_grad_mode_is_enabled");
  find_in_torch(abi.implement, "torch_library_impl");
  find_in_torch(abi.call, "torch_call_dispatcher");
  find_in_torch(abi.define_with_tags, "torch_library_def_with_tags");
  find_in_torch(abi.error_text, "torch_exception_get_what_without_backtrace");
  find_in_torch(abi.parallel_for, "torch_parallel_for");
  find_in_torch(abi.new_device_guard, "aoti_torch_create_device_guard");
  find_in_torch(abi.delete_device_guard, "aoti_torch_delete_device_guard");
}

void find_value_functions(StableAbi& abi) {
  find_in_torch(abi.new_list, "torch_new_list_reserve_size");
  find_in_torch(abi.list_size, "torch_list_size");
  find_in_torch(abi.list_item, "torch_list_get_item");
  find_in_torch(abi.list_append, "torch_list_push_back");
  find_in_torch(abi.delete_list, "torch_delete_list");
  find_in_torch(abi.new_string, "torch_new_string_handle");
  find_in_torch(abi.string_length, "torch_string_length");
  find_in_torch(abi.string_characters, "torch_string_c_str");
  find_in_torch(abi.delete_string, "torch_delete_string");
  find_in_torch(abi.new_value, "torch_new_stable_ivalue");
  find_in_torch(abi.delete_value, "torch_delete_stable_ivalue");
  find_in_torch(abi.new_generator_handle, "torch_new_generator_handle");
  find_in_torch(abi.delete_generator, "torch_delete_generator");
}

void find_stream_function(StableAbi& abi) {
  void* cuda = dlopen("libtorch_cuda.so", RTLD_NOLOAD | RTLD_LAZY);
  if (!cuda) return;
  abi.current_cuda_stream = reinterpret_cast<decltype(abi.current_cuda_stream)>(
      dlsym(cuda, "aoti_torch_get_current_cuda_stream"));
}

void find_torch() {
  torch_library = dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_LAZY);
  OPWRIGHT_CHECK_KIND("ImportError", torch_library != nullptr,
                      "opwright.torch: torch is not in this process; import torch first");
  StableAbi abi{};
  uint64_t (*version)() = nullptr;
  find_required(version, "aoti_torch_abi_version");
  abi.version = version();
  abi.build_version = std::min(abi.version, torch_version(2, 13));
  find_tensor_functions(abi);
  find_dispatcher_functions(abi);
  find_value_functions(abi);
  find_stream_function(abi);
  find_torch_numbers();
  torch_abi = abi;
}

}  // namespace

void require_torch() {
  static std::once_flag found;
  std::call_once(found, &find_torch);
}

std::string torch_version_text() {
  const uint64_t version = torch_abi.version;
  return concatenate(version >> 56, ".", version >> 48 & 0xff, ".", version >> 40 & 0xff);
}

void* find_torch_symbol(const char* name) { return dlsym(torch_library, name); }

std::string torch_error_text(const char* what) {
  const char* text = torch_abi.error_text ? torch_abi.error_text() : nullptr;
  if (text && *text) return text;
  return concatenate(what, " failed; torch ", torch_version_text(),
                     " wrote the reason to the standard error stream");
}

void throw_torch_error(const char* what) { throw Error("RuntimeError", torch_error_text(what)); }

}  // namespace opwright::torch_bridge
