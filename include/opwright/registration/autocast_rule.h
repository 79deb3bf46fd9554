// The Autocast rule of an author's operator: casts its floating-point tensors to one dtype per
// device.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/registration/kernel.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright OPWRIGHT_VISIBILITY {
struct AutocastTarget {
  Device device;  // only its type matters
  DType dtype;
};

// float64 tensors are unchanged. Does nothing on a device without a target. A template so that
// opwright/functions.h, which has `to`, can be included after this header.
template <class AnyTensor = Tensor>
struct AutocastRule {
  std::vector<AutocastTarget> targets;

  // (Dtype dtype, Device device, args...) -> (args to call with...)
  static int call_function(const OpwRecord* record, const OpwValue* args, uint32_t num_args,
                           OpwValue* results, uint32_t num_results) noexcept {
    try {
      const HostScope scope(record->host);
      constexpr uint32_t kLeading = 2;
      if (num_args != num_results + kLeading) [[unlikely]]
        throw_wrong_count(num_results + kLeading, num_args, num_results, num_results);
      const auto device = ValueOf<Device>::read(args[1]);
      for (const AutocastTarget& target : static_cast<const AutocastRule*>(record->self)->targets) {
        if (target.device.type != device.type) continue;
        for (uint32_t i = 0; i < num_results; ++i) results[i] = cast(args[kLeading + i], target);
      }
      return 0;
    } catch (...) {
      return give_current_error(record->host);
    }
  }
  static void drop(void* self) { delete static_cast<AutocastRule*>(self); }

 private:
  static OpwValue cast(const OpwValue& value, const AutocastTarget& target) {
    if (value.tag == kOpwTensor && value.as_tensor)
      return ValueOf<AnyTensor>::give(cast_tensor(value.as_tensor, target));
    Value copy = Value::copy_of(value);
    if (value.tag == kOpwTensorList) {
      auto* tensors = const_cast<OpwTensor**>(copy.get().as_tensors);
      for (uint32_t i = 0; i < value.length; ++i) {
        AnyTensor replaced = cast_tensor(tensors[i], target);
        release_tensor(tensors[i]);
        tensors[i] = replaced.give();
      }
    } else if (value.tag == kOpwList) {
      auto* values = static_cast<OpwValue*>(const_cast<void*>(copy.get().as_values));
      for (uint32_t i = 0; i < value.length; ++i) {
        const OpwValue replaced = cast(values[i], target);
        release_value(values[i]);
        values[i] = replaced;
      }
    }
    return copy.give();
  }

  static AnyTensor cast_tensor(OpwTensor* given, const AutocastTarget& target) {
    const Borrowed<AnyTensor> borrowed(given);
    const AnyTensor& tensor = borrowed;
    const bool is_cast = tensor.device().type == target.device.type &&
                         is_floating(tensor.dtype()) && tensor.dtype() != DType::Float64;
    return is_cast ? tensor.to(target.dtype) : tensor;
  }
};
}  // namespace opwright
