// What torch's libraries expose besides the stable ABI. Each symbol is optional: if a version of
// torch does not have one, the answer is the conservative one, which sends a call through Python.
#pragma once

#include "bridges/torch/stable_abi.h"

namespace opwright::torch_bridge {

// Looks the symbols up; after require_torch, once.
void find_torch_internals();

// Whether a dispatch mode or a functorch level is active on this thread.
[[nodiscard]] bool is_transforming();

// How a kernel may access a tensor.
enum class Plainness : uint8_t {
  Cpu,    // CPU memory, nothing pending
  Cuda,   // the same on a GPU
  Other,  // a subclass, a wrapper, fake, sparse, lazily conjugated, ..., or unknown
};
[[nodiscard]] Plainness plainness_of(AtenTensorHandle tensor);
// Whether a conjugation or negation of its memory is pending.
[[nodiscard]] bool is_lazy(AtenTensorHandle tensor) noexcept;

// Whether a gradient would have to be recorded: backward, if grad mode is on, or forward.
[[nodiscard]] bool needs_gradient(AtenTensorHandle tensor, bool is_grad_enabled);

// Whether raise_version does anything.
[[nodiscard]] bool can_raise_versions() noexcept;
// Tells autograd that the tensor was written.
void raise_version(AtenTensorHandle tensor);

// Whether torch has an operator with that name ("aten::mul.Tensor"); true if unknown.
[[nodiscard]] bool has_operator(const std::string& name);

}  // namespace opwright::torch_bridge
