// devices: compares the kernels of other devices with the CPU's.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/check/example/check.h"
#include "opwright/check/example/checked_function.h"
#include "opwright/check/example/comparison.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/check/example/recorded_call.h"
#include "opwright/check/memory/moved_example.h"
#include "opwright/check/values/real_numbers.h"
#include "opwright/device.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/slot.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/tag.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/device_search.h"
#include "opwright/tensor/device/device_table.h"

namespace opwright {
namespace {

// Devices for which the author wrote a kernel, whether or not their plug-ins are loaded.
bool has_own_kernel(const Operator& op, const std::string& device) {
  for (const auto& [slot, site] : Registry::get().implementations(op)) {
    if (is_device(slot) && slot_device_name(slot) == device) return true;
  }
  return false;
}

// The available devices other than the CPU for which the operator has its own kernel. Functions for
// all devices do not count: they may read memory.
std::vector<Device> find_devices(const Operator& op) {
  std::vector<Device> found;
  for (const std::string& name : device_names()) {
    const int32_t type = find_device_type(name).value_or(kOpwDeviceCpu);
    if (type == kOpwDeviceCpu || type == kOpwDeviceMeta || !has_own_kernel(op, name)) continue;
    const OpwDeviceTable* table = look_for_device_table(type);
    if (table && table->count() > 0) found.push_back(resolve_device(Device(type)));
  }
  return found;
}

bool is_missing(const Error& error) {
  return std::string_view(error.kind()) == "NotImplementedError";
}

class DeviceCheck final : public Check {
 public:
  std::optional<std::string> find_reason_to_skip(const Operator& op) override {
    if (!op.takes_tensors()) return "it takes no tensors";
    if (!op.record(Slot::Cpu)) return "it has no kernel for the cpu to compare with";
    if (op.tags().has(Tag::Nondeterministic) || op.tags().has(Tag::NondeterministicSeeded))
      return "its numbers are random";
    if (find_devices(op).empty()) return "no other device here than the cpu has a kernel for it";
    return std::nullopt;
  }

  std::optional<Fault> look(const CheckInput& input) override {
    if (!input.example().is_on_cpu()) return std::nullopt;
    for (const Device device : find_devices(input.op())) {
      if (auto fault = compare_calls(input, device)) return fault;
    }
    return std::nullopt;
  }

 private:
  static Fault make_fault(const CheckInput& input, const char* kind, Device device,
                          const std::string& what) {
    return {.kind = kind, .message = concatenate(input.op().name(), " on ", device, ": ", what)};
  }

  static std::optional<Fault> compare_calls(const CheckInput& input, Device device) {
    const Outcome there = run_example(move_example(input.example(), device));
    if (there.error) {
      if (is_missing(*there.error)) return std::nullopt;  // an operator that its body calls
      return make_fault(input, "device-raises", device,
                        concatenate("it raises ", text_of(*there.error),
                                    "; on the cpu it accepts the same arguments"));
    }
    if (const auto difference =
            find_difference(bring_to_cpu(there), input.plain(), input.comparison())) {
      return make_fault(
          input, "device-differs", device,
          concatenate(*difference, ", as on the cpu; correct its kernel for ",
                      slot_name(device_slot(device.type)), ", or pass rtol and atol"));
    }
    return compare_gradients(input, device);
  }

  static std::optional<Fault> compare_gradients(const CheckInput& input, Device device) {
    const Operator& op = input.op();
    if (op.tags().has(Tag::Nondifferentiable) || !has_formula(op)) return std::nullopt;
    const GradientSubset subset = differentiable_tensors(input.example());
    const RecordedCall here(input.example(), subset);
    if (here.outcome().is_refused() || here.differentiable().empty()) return std::nullopt;
    std::vector<Tensor> weights;
    for (const size_t place : here.differentiable()) {
      const Tensor& output = here.outputs()[place];
      weights.push_back(tensor_of(random_direction(numbers_of(output).size(), place), output));
    }
    const std::vector<Tensor> should = here.pull(weights);
    try {
      return compare_pulled(input, device, subset, weights, should);
    } catch (const Error& error) {
      if (is_missing(error)) return std::nullopt;
      return make_fault(
          input, "device-raises", device,
          concatenate("its gradient raises ", text_of(error), "; on the cpu it works"));
    }
  }

  static std::optional<Fault> compare_pulled(const CheckInput& input, Device device,
                                             const GradientSubset& subset,
                                             const std::vector<Tensor>& weights,
                                             const std::vector<Tensor>& should) {
    const RecordedCall there(move_example(input.example(), device), subset);
    if (there.outcome().error) throw Error(*there.outcome().error);
    std::vector<Tensor> moved;
    moved.reserve(weights.size());
    for (const Tensor& each : weights) moved.push_back(each.to(device, each.dtype()));
    const std::vector<Tensor> is = there.pull(moved);
    size_t next = 0;
    for (size_t i = 0; i < subset.size(); ++i) {
      if (!subset[i]) continue;
      const size_t place = next++;
      if (!is[place].is_defined() || !should[place].is_defined()) continue;
      const auto difference =
          find_difference(bring_to_cpu(is[place]), should[place], input.comparison());
      if (!difference) continue;
      return make_fault(input, "device-gradient", device,
                        concatenate("the gradient of '", input.example().tensor_name(i),
                                    "': ", *difference, ", as on the cpu"));
    }
    return std::nullopt;
  }
};

[[maybe_unused]] const bool kIsDeviceCheckRegistered =
    (register_check(
         {.name = "devices",
          .about = "kernels of other devices compared with the cpu's",
          .make = +[]() -> std::unique_ptr<Check> { return std::make_unique<DeviceCheck>(); },
          .place = 82,
          .shrinks_here = true,
          .most_inputs = 8}),
     true);

}  // namespace
}  // namespace opwright
