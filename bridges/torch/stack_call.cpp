#include "bridges/torch/stack_call.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bridges/torch/given_error.h"
#include "bridges/torch/python_hooks.h"
#include "bridges/torch/stable_abi.h"
#include "bridges/torch/stack_values.h"
#include "bridges/torch/thunks.h"
#include "bridges/torch/torch_error.h"
#include "bridges/torch/torch_internals.h"
#include "bridges/torch/torch_numbers.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/tag.h"
#include "opwright/value.h"

namespace opwright::torch_bridge {
namespace {

// ---- Choosing the function ----

const OpwRecord* kernel_for(const TorchOperator& op, int32_t device_type) {
  if (device_type == kOpwDeviceCpu) return op.cpu_kernel;
  return device_type == kOpwDeviceCuda ? op.cuda_kernel : nullptr;
}

// The device of the first tensor, else of the first device argument, else the CPU: for operators
// that create tensors.
int32_t device_type_of(const StackPlan& plan, const StableValue* stack) {
  int32_t type = 0;
  const bool has_no_tensor = visit_tensors(plan, stack, [&](AtenTensorHandle tensor) {
    require_success(torch_abi.get_device_type(tensor, &type), "asking for a tensor's device");
    return false;
  });
  if (!has_no_tensor) return device_type_from_torch(type);
  for (size_t i = 0; i < plan.arguments.size(); ++i) {
    const StackType& argument = plan.arguments[i];
    if (argument.kind != ValueKind::Device || argument.is_list) continue;
    if (!argument.is_optional) return device_type_from_torch(static_cast<int32_t>(stack[i] >> 32));
    if (stack[i] == 0) continue;
    const StableValue device = *reinterpret_cast<const StableValue*>(stack[i]);
    return device_type_from_torch(static_cast<int32_t>(device >> 32));
  }
  return kOpwDeviceCpu;
}

// The kernel that may run without torch's autograd; null if Python must decide.
const OpwRecord* unrecorded_kernel(const TorchOperator& op, const StableValue* stack) {
  const StackPlan& plan = *op.plan;
  if (plan.has_views || (plan.writes && !can_raise_versions()) || is_transforming()) return nullptr;
  const bool is_grad_enabled = torch_abi.is_grad_enabled();
  const OpwRecord* kernel = nullptr;
  bool has_cpu = false;
  const bool is_free = visit_tensors(plan, stack, [&](AtenTensorHandle tensor) {
    const Plainness plainness = plainness_of(tensor);
    if (plainness == Plainness::Other || needs_gradient(tensor, is_grad_enabled)) return false;
    has_cpu |= plainness == Plainness::Cpu;
    if (plainness == Plainness::Cuda) kernel = op.cuda_kernel;
    return true;
  });
  if (!is_free) return nullptr;
  return kernel || !has_cpu ? kernel : op.cpu_kernel;
}

const OpwRecord* untransformed_body(const TorchOperator& op, const StableValue* stack) {
  if (is_transforming()) return nullptr;
  const bool are_plain = visit_tensors(*op.plan, stack, [](AtenTensorHandle tensor) {
    return plainness_of(tensor) != Plainness::Other;
  });
  return are_plain ? op.composite : nullptr;
}

// Null for the Python function of the thunk.
const OpwRecord* choose_function(const ThunkSlot& slot, const StableValue* stack) {
  const TorchOperator& op = *slot.op;
  switch (slot.thunk) {
    case Thunk::Kernel:
      return kernel_for(op, device_type_of(*op.plan, stack));
    case Thunk::Autograd:
      return unrecorded_kernel(op, stack);
    case Thunk::Composite:
      return untransformed_body(op, stack);
  }
  return nullptr;
}

// ---- Running ----

// Makes the GPU of a call's tensors the current one.
class DeviceScope {
 public:
  explicit DeviceScope(uint32_t flags, const StackArguments& arguments) {
    if ((flags & kOpwDeviceBits) > 1) [[unlikely]]
      enter(arguments);
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope() {
    if (guard_) torch_abi.delete_device_guard(guard_);
  }

 private:
  void enter(const StackArguments& arguments) {
    for (uint32_t i = 0; i < arguments.size() && torch_abi.new_device_guard; ++i) {
      const OpwValue& value = arguments.values()[i];
      if (value.tag != kOpwTensor || value.as_tensor->dl.device.type != kOpwDeviceCuda) continue;
      require_success(torch_abi.new_device_guard(value.as_tensor->dl.device.index, &guard_),
                      "changing to the tensors' device");
      return;
    }
  }
  DeviceGuard* guard_ = nullptr;
};

[[noreturn]] void throw_mixed_devices(const TorchOperator& op, const StackArguments& arguments) {
  std::string text;
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    const OpwValue& value = arguments.values()[i];
    if (value.tag != kOpwTensor) continue;
    text += concatenate(text.empty() ? "" : ", ", op.description.arguments[i].name, " is on ",
                        Device(value.as_tensor->dl.device));
  }
  throw_error("RuntimeError", op.description.name, ": all tensors must be on one device, but ",
              text.empty() ? "those of a list differ" : text);
}

void raise_versions(const StackPlan& plan, const StableValue* stack) {
  const auto raise = [](AtenTensorHandle tensor) {
    raise_version(tensor);
    return true;
  };
  visit_tensors(plan, stack, raise, true);
}

[[noreturn]] void throw_without_function(const ThunkSlot& slot) {
  const TorchOperator& op = *slot.op;
  if (slot.thunk == Thunk::Kernel) {
    throw_error("NotImplementedError", op.description.name, " has no kernel for ", slot.key);
  }
  throw_error("RuntimeError", op.description.name,
              ": gradients, transforms and subclasses of torch.Tensor need Python, and this ",
              "process loaded the operator without it");
}

// Errors name the argument.
void read_arguments(const TorchOperator& op, StackArguments& arguments, Reading reading) {
  try {
    arguments.read(reading);
  } catch (const Error& error) {
    throw_error(error.kind(), op.description.name, ": argument '",
                op.description.arguments[arguments.place()].name, "': ", error.message());
  }
}

int run_function(const ThunkSlot& slot, const OpwRecord& record, StackArguments& arguments,
                 OpwValue* results) {
  const TorchOperator& op = *slot.op;
  read_arguments(op, arguments, Reading::Now);
  const uint32_t devices = arguments.flags() & kOpwDeviceBits;
  if ((devices & (devices - 1)) != 0 && !op.description.tags.has(Tag::AllowsMixedDevices)) {
    throw_mixed_devices(op, arguments);
  }
  const DeviceScope scope(devices, arguments);
  return record.function(&record, arguments.values(), arguments.size(), results,
                         static_cast<uint32_t>(op.plan->results.size()));
}

int run_in_python(const ThunkSlot& slot, StackArguments& arguments, OpwValue* results) {
  TorchOperator& op = *slot.op;
  if (!python_hooks.run || !op.python_functions[static_cast<size_t>(slot.thunk)]) {
    throw_without_function(slot);
  }
  read_arguments(op, arguments, Reading::Later);
  return python_hooks.run(op, slot.thunk, arguments.values(), arguments.size(), results,
                          static_cast<uint32_t>(op.plan->results.size()));
}

// ---- Results ----

// Few values on the stack, more on the heap.
template <class T>
class CallArray {
 public:
  explicit CallArray(size_t size) : size_(size) {
    if (size <= kInline) {
      for (size_t i = 0; i < size; ++i) inline_[i] = T{};
    } else {
      heap_.resize(size);
    }
  }
  T* data() { return size_ <= kInline ? inline_ : heap_.data(); }

 private:
  static constexpr size_t kInline = 6;
  size_t size_;
  T inline_[kInline];
  std::vector<T> heap_;
};

class Results {
 public:
  explicit Results(const TorchOperator& op)
      : op_(op), values_(op.plan->results.size()), converted_(op.plan->results.size()) {}
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  ~Results() {
    for (size_t i = 0; i < num_converted_; ++i) release_stack_value(types()[i], converted()[i]);
    for (size_t i = 0; i < types().size(); ++i) release_value(values()[i]);
  }
  OpwValue* values() { return values_.data(); }

  void convert() {
    for (; num_converted_ < types().size(); ++num_converted_) {
      OpwValue& value = values()[num_converted_];
      const StackType& type = types()[num_converted_];
      OPWRIGHT_CHECK_TYPE(type.is_optional || !is_nothing(value), op_.description.name,
                          " returned nothing for result ", num_converted_, " (",
                          op_.description.results[num_converted_].type.text, ")");
      converted()[num_converted_] = give_to_stack(type, value);
    }
  }
  void give(StableValue* stack) {
    for (size_t i = 0; i < num_converted_; ++i) stack[i] = converted()[i];
    num_converted_ = 0;
  }

 private:
  [[nodiscard]] const std::vector<StackType>& types() const { return op_.plan->results; }
  StableValue* converted() { return converted_.data(); }

  const TorchOperator& op_;
  CallArray<OpwValue> values_;
  CallArray<StableValue> converted_;
  size_t num_converted_ = 0;
};

int run_and_convert(const ThunkSlot& slot, StableValue* stack, Results& results) {
  TorchOperator& op = *slot.op;
  StackArguments arguments(*op.plan, stack);
  OPWRIGHT_CHECK(!op.is_removed, op.description.name,
                 " was removed from torch: load its library or register it again");
  const OpwRecord* record = choose_function(slot, stack);
  const int status = record ? run_function(slot, *record, arguments, results.values())
                            : run_in_python(slot, arguments, results.values());
  if (status != 0) return status;
  if (record && op.plan->writes) raise_versions(*op.plan, stack);
  results.convert();
  return 0;
}

// Returns 0, or 1 with the error set.
int run(const ThunkSlot& slot, StableValue* stack) noexcept {
  try {
    Results results(*slot.op);
    if (run_and_convert(slot, stack, results) != 0) return 1;
    results.give(stack);
    return 0;
  } catch (...) {
    return give_current_exception();
  }
}

[[noreturn, gnu::cold]] void throw_given_to_torch() {
  OpwError* error = take_given_error();
  if (!error) throw_to_torch(Error("RuntimeError", "an operator failed without an error"));
  throw_to_torch(Error::take(error));
}

}  // namespace

void run_stack_call(const ThunkSlot& slot, StableValue* stack) {
  if (run(slot, stack) != 0) [[unlikely]]
    throw_given_to_torch();
}

}  // namespace opwright::torch_bridge
