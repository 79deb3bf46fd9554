// Tensors over handles of torch's stable C ABI.
#pragma once

#include "bridges/torch/stable_abi.h"
#include "opwright/tensor.h"

namespace opwright::torch_bridge {

// A View on a caller's stack, or, promoted, a counted tensor that owns its handle.
struct HandleTensor : OpwTensor {
  AtenTensorHandle handle = nullptr;
};

// Fills `view` from a borrowed handle; throws Error. Copy-on-write memory of a tensor that is
// written is copied first.
void show_handle(HandleTensor& view, AtenTensorHandle handle, bool is_written = false);
// The same for a handle whose tensor may have no memory: a Stale view, read on refresh.
void show_later(HandleTensor& view, AtenTensorHandle handle) noexcept;
// Reads the tensor again after an operator changed its sizes or memory; throws Error.
void show_again(HandleTensor& tensor);
// A counted tensor that takes over the handle; one count for the caller.
[[nodiscard]] OpwTensor* own_handle(AtenTensorHandle handle);
// The same for one that torch has just created, with these known properties.
[[nodiscard]] OpwTensor* own_new_handle(AtenTensorHandle handle, int32_t ndim, OpwDtype dtype,
                                        OpwDevice device);
// The same for one that may have no memory: Stale, read on refresh.
[[nodiscard]] OpwTensor* own_later(AtenTensorHandle handle);
// Whether the tensor is one of these.
[[nodiscard]] bool is_handle_tensor(const OpwTensor* tensor) noexcept;
// The handle of an owned tensor, which is consumed; owned. Tensors of the other table go through
// python_hooks.h.
[[nodiscard]] AtenTensorHandle take_handle(OpwTensor* tensor);
// A new handle of a borrowed tensor; owned.
[[nodiscard]] AtenTensorHandle copy_handle(OpwTensor* tensor);
// Borrowed.
[[nodiscard]] inline AtenTensorHandle handle_of(const OpwTensor* tensor) {
  return static_cast<const HandleTensor*>(tensor)->handle;
}

}  // namespace opwright::torch_bridge
