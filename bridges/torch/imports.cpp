#include "bridges/torch/imports.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bridges/operators/allocation_request.h"
#include "bridges/torch/allocation.h"
#include "bridges/torch/given_error.h"
#include "bridges/torch/handle_tensor.h"
#include "bridges/torch/python_hooks.h"
#include "bridges/torch/stable_abi.h"
#include "bridges/torch/stack_values.h"
#include "bridges/torch/torch_internals.h"
#include "bridges/torch/torch_operator.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {

// An operator that its binary calls.
struct Import {
  std::string full_name;  // "aten::mul.Tensor"
  std::string name;       // "aten::mul"
  std::string overload;
  bridges::Allocation allocation = bridges::Allocation::None;
  bool is_current_stream = false;
  std::string uncarried;  // why it goes through Python; empty if it does not
  StackPlan plan;
  std::vector<OpwValue> defaults;  // by argument; None if required
};

namespace {

// Functions of the host that are not operators of torch.
bool is_answered_in_python(const Import& import) {
  return import.full_name.starts_with("opwright::") && !import.is_current_stream &&
         import.allocation == bridges::Allocation::None;
}

Import describe_import(const std::string& name) {
  const OperatorDescription description = describe_operator(name);
  Import import{.full_name = name,
                .name = description.name_space + "::" + description.base,
                .overload = description.overload,
                .allocation = bridges::find_allocation(name),
                .is_current_stream = name == "opwright::current_stream",
                .uncarried = uncarried_reason(description),
                .plan = {},
                .defaults = {}};
  if (import.uncarried.empty() && is_answered_in_python(import))
    import.uncarried = concatenate(name, " is a function of the host");
  if (!import.uncarried.empty()) return import;
  import.plan = make_stack_plan(description);
  for (const ArgumentDescription& each : description.arguments) {
    import.defaults.push_back(each.default_value ? *each.default_value : OpwValue{});
  }
  return import;
}

// torch's own operators all exist from the start; others may be added later.
void require_in_torch(const std::string& name, const std::string& path) {
  const bool is_torch_own = name.starts_with("aten::") || name.starts_with("prims::");
  OPWRIGHT_CHECK_KIND("AttributeError", !is_torch_own || has_operator(name), path, " calls ", name,
                      ", which torch ", torch_version_text(), " does not have");
}

// The stack of a call to torch: owned until the call takes ownership.
class CallStack {
 public:
  explicit CallStack(const StackPlan& plan)
      : plan_(plan), values_(std::max(plan.arguments.size(), plan.results.size()) + 1) {}
  CallStack(const CallStack&) = delete;
  CallStack& operator=(const CallStack&) = delete;
  ~CallStack() {
    for (size_t i = 0; i < num_args_; ++i) release_stack_value(plan_.arguments[i], values_[i]);
    for (size_t i = next_result_; i < end_of_results_; ++i)
      release_stack_value(plan_.results[i], values_[i]);
  }

  void push(const OpwValue& value) {
    values_[num_args_] = copy_to_stack(plan_.arguments[num_args_], value);
    ++num_args_;
  }
  void call(const Import& import) {
    num_args_ = 0;  // owned by torch from here on
    const Status status =
        torch_abi.call
            ? torch_abi.call(import.name.c_str(), import.overload.c_str(), values_.data(),
                             torch_abi.build_version)
            : torch_abi.call_2_9(import.name.c_str(), import.overload.c_str(), values_.data());
    require_success(status, import.full_name.c_str());
    end_of_results_ = plan_.results.size();
  }
  OpwValue take_result() {
    const size_t place = next_result_++;
    return take_from_stack(plan_.results[place], values_[place]);
  }

 private:
  const StackPlan& plan_;
  std::vector<StableValue> values_;
  size_t num_args_ = 0;
  size_t next_result_ = 0;
  size_t end_of_results_ = 0;
};

void show_written(const OpwValue& value) {
  const auto show = [](OpwTensor* tensor) {
    if (is_handle_tensor(tensor)) show_again(*static_cast<HandleTensor*>(tensor));
  };
  if (value.tag == kOpwTensor) show(value.as_tensor);
  if (value.tag == kOpwTensorList) std::for_each_n(value.as_tensors, value.length, show);
}

void call_dispatcher(const Import& import, const OpwValue* args, uint32_t num_args,
                     OpwValue* results, uint32_t num_results) {
  const size_t expected = import.plan.arguments.size();
  OPWRIGHT_CHECK_TYPE(num_args <= expected && num_results == import.plan.results.size(),
                      import.full_name, " takes ", expected, " arguments and returns ",
                      import.plan.results.size(), " results, but was called with ", num_args,
                      " and ", num_results);
  CallStack stack(import.plan);
  for (size_t i = 0; i < expected; ++i) stack.push(i < num_args ? args[i] : import.defaults[i]);
  stack.call(import);
  for (uint32_t i = 0; i < num_results; ++i) results[i] = stack.take_result();
  for (uint32_t i = 0; import.plan.writes && i < num_args; ++i) {
    if (import.plan.arguments[i].is_written) show_written(args[i]);
  }
}

OpwValue current_stream(const OpwValue& device) {
  void* stream = nullptr;
  if (device.as_device.type == kOpwDeviceCuda && torch_abi.current_cuda_stream) {
    require_success(torch_abi.current_cuda_stream(device.as_device.index, &stream),
                    "asking for the current stream");
  }
  OpwValue value{};
  value.tag = kOpwInt;
  value.as_int = reinterpret_cast<int64_t>(stream);
  return value;
}

int call_in_python(TorchLibrary& library, const Import& import, uint32_t index,
                   const OpwValue* args, uint32_t num_args, OpwValue* results,
                   uint32_t num_results) {
  OPWRIGHT_CHECK_KIND("NotImplementedError", python_hooks.call_import, import.uncarried,
                      "; calling it needs Python, but this process loaded ", library.contents.path,
                      " without it");
  return python_hooks.call_import(library, index, args, num_args, results, num_results);
}

}  // namespace

struct ImportTable {
  std::vector<Import> imports;
};

const ImportTable* make_import_table(const BinaryContents& contents) {
  auto table = std::make_unique<ImportTable>();
  for (const BinaryImport& each : contents.imports) {
    require_in_torch(each.name, contents.path);
    table->imports.push_back(describe_import(each.name));
  }
  return table.release();
}

int call_import(const OpwHost* host, uint32_t index, const OpwValue* args, uint32_t num_args,
                OpwValue* results, uint32_t num_results) {
  try {
    auto& library = *static_cast<TorchLibrary*>(host->instance);
    const Import& import = library.imports->imports[index];
    if (import.allocation != bridges::Allocation::None) {
      if (OpwTensor* tensor = allocate_simply(import.allocation, args)) {
        results[0].tag = kOpwTensor;
        results[0].as_tensor = tensor;
        return 0;
      }
    }
    if (import.is_current_stream) {
      results[0] = current_stream(args[0]);
    } else if (import.uncarried.empty()) {
      call_dispatcher(import, args, num_args, results, num_results);
    } else {
      return call_in_python(library, import, index, args, num_args, results, num_results);
    }
    return 0;
  } catch (...) {
    return give_current_exception();
  }
}

}  // namespace opwright::torch_bridge
