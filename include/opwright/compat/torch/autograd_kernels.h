// Kernels under PyTorch's Autograd keys. They run in place of recording a call, usually as the
// apply of a torch::autograd::Function; a call of the same operator inside them goes on below
// autograd. A call whose tensors are on a device without such a kernel is recorded as without them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "opwright/compat/ATen/core/Tensor.h"
#include "opwright/compat/recorded_function.h"
#include "opwright/registration/host_functions.h"

namespace torch OPWRIGHT_VISIBILITY {
inline constexpr std::string_view kAutogradPrefix = "Autograd";

constexpr bool is_autograd_key(std::string_view key) { return key.starts_with(kAutogradPrefix); }

// ---- Whether a tensor of a call is on a device
template <class T>
bool is_on(const T& /*not_a_tensor*/, c10::DeviceType /*device*/) {
  return false;
}
inline bool is_on(const at::Tensor& tensor, c10::DeviceType device) {
  return tensor.defined() && tensor.device().type() == device;
}
inline bool is_on(const std::optional<at::Tensor>& tensor, c10::DeviceType device) {
  return tensor && is_on(*tensor, device);
}
inline bool is_on(const std::vector<at::Tensor>& tensors, c10::DeviceType device) {
  for (const at::Tensor& each : tensors) {
    if (is_on(each, device)) return true;
  }
  return false;
}
inline bool is_on(const at::TensorList& tensors, c10::DeviceType device) {
  for (const at::Tensor& each : tensors) {
    if (is_on(each, device)) return true;
  }
  return false;
}

// The kernels of one operator under Autograd keys: that of the tensors' device comes first. Lives
// as long as the binary.
template <class Signature>
class AutogradKernels;
template <class R, class... Args>
class AutogradKernels<R(Args...)> {
 public:
  explicit AutogradKernels(std::string op) : op_(std::move(op)) {}

  // Replaces that of the same device; none: of every device without its own.
  template <class F>
  void add(std::optional<c10::DeviceType> device, F function) {
    const Kernel kernel{.device = device,
                        .function = new F(std::move(function)),
                        .call = [](void* self, Args... args) -> R {
                          return (*static_cast<F*>(self))(std::forward<Args>(args)...);
                        }};
    for (Kernel& each : kernels_) {
      if (each.device != device) continue;
      replaced_.push_back(each.function);
      each = kernel;
      return;
    }
    kernels_.push_back(kernel);
  }
  R call(Args... args) const {
    const Kernel* for_all = nullptr;
    for (const Kernel& each : kernels_) {
      if (!each.device) {
        for_all = &each;
      } else if ((is_on(args, *each.device) || ...)) {
        return each.call(each.function, std::forward<Args>(args)...);
      }
    }
    if (for_all) return for_all->call(for_all->function, std::forward<Args>(args)...);
    opwright::throw_error(opwright::kDeclined, op_,
                          ": no kernel under an Autograd key is for the devices of its tensors");
  }

 private:
  struct Kernel {
    std::optional<c10::DeviceType> device;
    void* function;
    R (*call)(void*, Args...);
  };

  std::string op_;
  std::vector<Kernel> kernels_;
  std::vector<void*> replaced_;  // kept: calls of another host may run them
};

// Those of an operator of this binary, the same for all hosts. TypeError if its kernels have
// different types. Library blocks run on one thread.
struct AutogradKernelsEntry {
  std::string op;
  const std::type_info* type;
  void* kernels;
};
inline std::vector<AutogradKernelsEntry>& all_autograd_kernels() {
  static auto* all = new std::vector<AutogradKernelsEntry>;
  return *all;
}
template <class Signature>
AutogradKernels<Signature>& autograd_kernels_of(const std::string& op) {
  for (const AutogradKernelsEntry& each : all_autograd_kernels()) {
    if (each.op != op) continue;
    if (*each.type == typeid(Signature))
      return *static_cast<AutogradKernels<Signature>*>(each.kernels);
    opwright::throw_error("TypeError", op,
                          ": its kernels for Autograd keys have different C++ types");
  }
  auto* kernels = new AutogradKernels<Signature>(op);
  all_autograd_kernels().push_back({op, &typeid(Signature), kernels});
  return *kernels;
}

template <class Signature>
struct AutogradKernel;
template <class R, class... Args>
struct AutogradKernel<R(Args...)> {
  const AutogradKernels<R(Args...)>* kernels;

  R operator()(Args... args) { return kernels->call(std::forward<Args>(args)...); }
};

// What runs in place of recording a call of `op`, after `function` was added for a device.
template <class F>
auto make_autograd_kernel(const std::string& op, std::optional<c10::DeviceType> device,
                          F function) {
  using Recorded = c10::RecordedFunction<F>;
  using Signature = typename opwright::SignatureOf<Recorded>::Type;
  AutogradKernels<Signature>& kernels = autograd_kernels_of<Signature>(op);
  kernels.add(device, Recorded{std::move(function)});
  return AutogradKernel<Signature>{&kernels};
}
}  // namespace torch
