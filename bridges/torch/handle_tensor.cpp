#include "bridges/torch/handle_tensor.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "bridges/torch/given_error.h"
#include "bridges/torch/python_hooks.h"
#include "bridges/torch/stable_abi.h"
#include "bridges/torch/torch_internals.h"
#include "bridges/torch/torch_numbers.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/tensor.h"

namespace opwright::torch_bridge {
namespace {

void release_handle(OpwTensor* tensor) {
  auto* mine = static_cast<HandleTensor*>(tensor);
  torch_abi.delete_tensor(mine->handle);
  delete mine;
}

OpwTensor* promote(OpwTensor* tensor) {
  const auto* view = static_cast<const HandleTensor*>(tensor);
  try {
    auto owned = std::make_unique<HandleTensor>(*view);
    require_success(torch_abi.new_tensor_handle(view->handle, &owned->handle), "keeping a tensor");
    owned->count = 1;
    owned->flags &= ~kOpwFlagView;
    return owned.release();
  } catch (...) {
    give_current_exception();
    return nullptr;
  }
}

int refresh(OpwTensor* tensor) {
  try {
    show_again(*static_cast<HandleTensor*>(tensor));
    return 0;
  } catch (...) {
    return give_current_exception();
  }
}

int refuse_symbols(const OpwTensor* /*tensor*/, OpwSymbolicShape* /*shape*/) {
  give_error(
      Error("RuntimeError", "a tensor over a handle of torch has no symbolic sizes").share());
  return 1;
}

const OpwTensorTable kHandleTensors = {.struct_size = sizeof(OpwTensorTable),
                                       .release = &release_handle,
                                       .promote = &promote,
                                       .refresh = &refresh,
                                       .symbolic = &refuse_symbols};

// One bit for each device; high indices share the last bit.
uint32_t device_bit(OpwDevice device) {
  if (device.type == kOpwDeviceCpu) return 1;
  const uint32_t place =
      device.type == kOpwDeviceCuda ? 1 + static_cast<uint32_t>(device.index) : 15;
  return 1U << std::min(place, 15U);
}

[[noreturn, gnu::cold]] void throw_unreadable(AtenTensorHandle handle) {
  const std::string reason = torch_error_text("reading a tensor");
  int32_t layout = 0;
  if (torch_abi.get_layout(handle, &layout) == 0 && !is_strided_layout(layout)) {
    throw_error("TypeError", "a kernel takes torch.strided tensors, got a sparse or other layout",
                "; call to_dense() first");
  }
  throw Error("RuntimeError", reason);
}

// Everything except the flags and the memory.
void read_shape(OpwDlTensor& dl, AtenTensorHandle handle) {
  int64_t ndim = 0;
  int32_t dtype = 0;
  int32_t device = 0;
  const Status status = torch_abi.get_dim(handle, &ndim) | torch_abi.get_sizes(handle, &dl.shape) |
                        torch_abi.get_strides(handle, &dl.strides) |
                        torch_abi.get_dtype(handle, &dtype) |
                        torch_abi.get_device_type(handle, &device) |
                        torch_abi.get_device_index(handle, &dl.device.index);
  if (status != 0) [[unlikely]]
    throw_unreadable(handle);
  dl.ndim = static_cast<int32_t>(ndim);
  dl.dtype = dtype_from_torch(dtype);
  dl.device.type = device_type_from_torch(device);
  dl.device.index = std::max(dl.device.index, 0);
  dl.byte_offset = 0;
}

void read_memory(OpwDlTensor& dl, AtenTensorHandle handle, bool is_written) {
  Status status = 0;
  if (is_written || !torch_abi.get_const_data) {
    status = torch_abi.get_data(handle, &dl.data);
  } else {
    const void* data = nullptr;
    status = torch_abi.get_const_data(handle, &data);
    dl.data = const_cast<void*>(data);
  }
  if (status != 0) [[unlikely]]
    throw_unreadable(handle);
}

// Resolves the pending conjugation or negation of a tensor from torch.
AtenTensorHandle resolve_lazy(AtenTensorHandle handle) {
  StableValue stack[1] = {reinterpret_cast<StableValue>(handle)};
  for (const char* name : {"aten::resolve_conj", "aten::resolve_neg"}) {
    require_success(torch_abi.call_2_9(name, "", stack), "resolving a lazy tensor");
  }
  return reinterpret_cast<AtenTensorHandle>(stack[0]);
}

}  // namespace

void show_handle(HandleTensor& view, AtenTensorHandle handle, bool is_written) {
  view.owner = &kHandleTensors;
  view.count = 1;
  view.handle = handle;
  read_shape(view.dl, handle);
  read_memory(view.dl, handle, is_written);
  view.flags = kOpwFlagView | device_bit(view.dl.device);
}

void show_later(HandleTensor& view, AtenTensorHandle handle) noexcept {
  view.owner = &kHandleTensors;
  view.count = 1;
  view.flags = kOpwFlagView | kOpwFlagStale;
  view.dl = OpwDlTensor{};
  view.handle = handle;
}

void show_again(HandleTensor& tensor) {
  read_shape(tensor.dl, tensor.handle);
  read_memory(tensor.dl, tensor.handle, true);
  tensor.flags = (tensor.flags & ~(kOpwFlagStale | kOpwDeviceBits)) | device_bit(tensor.dl.device);
}

OpwTensor* own_new_handle(AtenTensorHandle handle, int32_t ndim, OpwDtype dtype, OpwDevice device) {
  OwnedHandle owned(handle);
  auto tensor = std::make_unique<HandleTensor>();
  tensor->owner = &kHandleTensors;
  tensor->count = 1;
  tensor->flags = device_bit(device);
  OpwDlTensor& dl = tensor->dl;
  dl.device = device;
  dl.ndim = ndim;
  dl.dtype = dtype;
  const Status status = torch_abi.get_sizes(handle, &dl.shape) |
                        torch_abi.get_strides(handle, &dl.strides) |
                        torch_abi.get_data(handle, &dl.data);
  if (status != 0) [[unlikely]]
    throw_unreadable(handle);
  tensor->handle = owned.give();
  return tensor.release();
}

OpwTensor* own_handle(AtenTensorHandle handle) {
  OwnedHandle owned(handle);
  if (is_lazy(handle)) [[unlikely]] {
    owned.set(resolve_lazy(owned.give()));
  }
  auto tensor = std::make_unique<HandleTensor>();
  show_handle(*tensor, owned.get(), true);
  tensor->flags &= ~kOpwFlagView;
  owned.give();
  return tensor.release();
}

OpwTensor* own_later(AtenTensorHandle handle) {
  OwnedHandle owned(handle);
  auto tensor = std::make_unique<HandleTensor>();
  show_later(*tensor, handle);
  tensor->flags &= ~kOpwFlagView;
  owned.give();
  return tensor.release();
}

bool is_handle_tensor(const OpwTensor* tensor) noexcept { return tensor->owner == &kHandleTensors; }

AtenTensorHandle copy_handle(OpwTensor* tensor) {
  if (!is_handle_tensor(tensor)) [[unlikely]] {
    OPWRIGHT_CHECK_TYPE(python_hooks.handle_of, "the tensor is not one of torch's");
    auto* handle = static_cast<AtenTensorHandle>(python_hooks.handle_of(tensor));
    if (!handle) throw_given();
    return handle;
  }
  AtenTensorHandle copy = nullptr;
  require_success(torch_abi.new_tensor_handle(handle_of(tensor), &copy), "passing a tensor on");
  return copy;
}

AtenTensorHandle take_handle(OpwTensor* tensor) {
  const bool is_sole = is_handle_tensor(tensor) && (tensor->flags & kOpwFlagView) == 0 &&
                       __atomic_load_n(&tensor->count, __ATOMIC_ACQUIRE) == 1;
  if (is_sole) [[likely]] {
    auto* mine = static_cast<HandleTensor*>(tensor);
    AtenTensorHandle handle = mine->handle;
    delete mine;
    return handle;
  }
  const Tensor owned = Tensor::take(tensor);
  return copy_handle(tensor);
}

}  // namespace opwright::torch_bridge
