#include "opwright/ops/rule/autocast_policy.h"

#include <memory>
#include <vector>

#include "opwright/base/given_error.h"
#include "opwright/base/source_site.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/first_use.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/dispatch/slot.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {
namespace {

constexpr uint32_t kLeading = 2;  // dtype and device of the mode
constexpr uintptr_t kPolicyBits = 4;

// The record's `self` holds both policies of an operator.
void* pack(const AutocastEntry& entry) {
  return reinterpret_cast<void*>(static_cast<uintptr_t>(entry.cpu) |
                                 static_cast<uintptr_t>(entry.accelerator) << kPolicyBits);
}

AutocastPolicy policy_for(const OpwRecord& record, Device device) {
  const auto packed = reinterpret_cast<uintptr_t>(record.self);
  const uintptr_t shift = device.type == kOpwDeviceCpu ? 0 : kPolicyBits;
  return static_cast<AutocastPolicy>(packed >> shift & ((1U << kPolicyBits) - 1));
}

bool is_castable(const Tensor& tensor, Device device) {
  return tensor.device().type == device.type && is_floating(tensor.dtype()) &&
         tensor.dtype() != DType::Float64;
}

// A tensor of a dtype other than the mode's requires float32, which holds both half types.
DType find_widest(Arguments args, DType lower, Device device) {
  DType widest = lower;
  for (const OpwValue& value : args) {
    visit_tensors(value, [&](OpwTensor* each) {
      const BorrowedTensor borrowed(each);
      const Tensor& tensor = borrowed;
      if (is_castable(tensor, device) && tensor.dtype() != lower) widest = DType::Float32;
    });
  }
  return widest;
}

DType target_of(AutocastPolicy policy, Arguments args, DType lower, Device device) {
  switch (policy) {
    case AutocastPolicy::Float32:
      return DType::Float32;
    case AutocastPolicy::Widest:
      return find_widest(args, lower, device);
    default:
      return lower;
  }
}

int cast_arguments(const OpwRecord* record, const OpwValue* values, uint32_t num_values,
                   OpwValue* results, uint32_t num_results) {
  return status_of([&] {
    OPWRIGHT_ASSERT(num_values == num_results + kLeading);
    const auto lower = ValueOf<DType>::read(values[0]);
    const auto device = ValueOf<Device>::read(values[1]);
    const AutocastPolicy policy = policy_for(*record, device);
    if (policy == AutocastPolicy::None) return;
    const Arguments args(values + kLeading, num_results);
    const DType target = target_of(policy, args, lower, device);
    for (uint32_t i = 0; i < num_results; ++i) {
      results[i] = map_tensors(args[i], [&](OpwTensor* each) {
                     const BorrowedTensor borrowed(each);
                     const Tensor& tensor = borrowed;
                     return is_castable(tensor, device) ? tensor.to(target) : tensor;
                   }).give();
    }
  });
}

struct AutocastTable {
  const char* file;
  std::vector<AutocastEntry> entries;
};

}  // namespace

bool register_autocast(const char* file, std::initializer_list<AutocastEntry> entries) {
  const auto step = [](void* context) {
    const std::unique_ptr<AutocastTable> table(static_cast<AutocastTable*>(context));
    for (const AutocastEntry& entry : table->entries) {
      Registry::get()
          .implement(entry.name, Slot::Autocast, {&cast_arguments, pack(entry), nullptr, nullptr},
                     SourceSite{table->file, entry.line})
          .keep();
    }
  };
  at_first_use(step, new AutocastTable{file, entries});
  return true;
}

}  // namespace opwright
