// Tensors over handles of torch's stable C ABI.
#pragma once

#include "bridges/torch/torch_operator.h"
#include "opwright/tensor.h"

namespace opwright::torch_bridge {

struct AtenTensor;  // torch's; never looked into
using AtenTensorHandle = AtenTensor*;

// A View on a caller's stack, or, promoted, a counted tensor that owns its handle.
struct HandleTensor : OpwTensor {
  AtenTensorHandle handle = nullptr;
};

// Fills `view` from a borrowed handle; throws Error.
void show_handle(HandleTensor& view, AtenTensorHandle handle);
// A counted tensor that takes over the handle; one count for the caller.
[[nodiscard]] OpwTensor* own_handle(AtenTensorHandle handle);
// Whether the tensor is one of these.
[[nodiscard]] bool is_handle_tensor(const OpwTensor* tensor) noexcept;
// Borrowed.
[[nodiscard]] inline AtenTensorHandle handle_of(const OpwTensor* tensor) {
  return static_cast<const HandleTensor*>(tensor)->handle;
}

}  // namespace opwright::torch_bridge
