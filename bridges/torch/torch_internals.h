// What torch's libraries tell beside the stable ABI. Each symbol is optional: where a version of
// torch lacks one, the answer is the careful one, which leads a call through Python.
#pragma once

#include "bridges/torch/stable_abi.h"

namespace opwright::torch_bridge {

// Looks the symbols up; after require_torch, once.
void find_torch_internals();

// Whether a dispatch mode or a functorch level is active on this thread.
[[nodiscard]] bool is_transforming();

// How a kernel may take a tensor.
enum class Plainness : uint8_t {
  Cpu,    // memory of the cpu, nothing pending
  Cuda,   // the same of a GPU
  Other,  // a subclass, a wrapper, fake, sparse, conjugated lazily, ..., or nobody knows
};
[[nodiscard]] Plainness plainness_of(AtenTensorHandle tensor);
// Whether its memory has yet to be conjugated or negated.
[[nodiscard]] bool is_lazy(AtenTensorHandle tensor) noexcept;

// Whether a gradient would have to be recorded: backward, if grad mode is on, or forward.
[[nodiscard]] bool needs_gradient(AtenTensorHandle tensor, bool is_grad_enabled);

// Whether raise_version does anything.
[[nodiscard]] bool can_raise_versions() noexcept;
// Tells autograd that the tensor was written.
void raise_version(AtenTensorHandle tensor);

// Whether torch has an operator of that name ("aten::mul.Tensor"); true where it does not tell.
[[nodiscard]] bool has_operator(const std::string& name);

}  // namespace opwright::torch_bridge
