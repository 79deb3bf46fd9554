// c10::TensorOptions: dtype, device and layout of a new tensor; unset ones have the default.
#pragma once

#include <optional>

#include "opwright/compat/c10/core/Device.h"
#include "opwright/compat/c10/core/Layout.h"
#include "opwright/compat/c10/core/MemoryFormat.h"
#include "opwright/compat/c10/core/ScalarType.h"

namespace c10 OPWRIGHT_VISIBILITY {
class TensorOptions {
 public:
  TensorOptions() = default;
  // NOLINTBEGIN(google-explicit-constructor): converts from one property
  TensorOptions(ScalarType dtype) : dtype_{dtype, true} {}
  TensorOptions(Device device) : device_{device, true} {}
  TensorOptions(DeviceType device) : device_{device, true} {}
  TensorOptions(Layout layout) : layout_{layout, true} {}
  TensorOptions(MemoryFormat memory_format) : memory_format_{memory_format, true} {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] TensorOptions dtype(std::optional<ScalarType> dtype) const {
    return with(&TensorOptions::dtype_, dtype);
  }
  template <class T>
  [[nodiscard]] TensorOptions dtype() const {
    return dtype(CppTypeToScalarType<T>::value);
  }
  [[nodiscard]] TensorOptions device(std::optional<Device> device) const {
    return with(&TensorOptions::device_, device);
  }
  [[nodiscard]] TensorOptions device(DeviceType type, DeviceIndex index = -1) const {
    return device(Device(type, index));
  }
  [[nodiscard]] TensorOptions device_index(DeviceIndex index) const {
    return device(Device(kCUDA, index));
  }
  [[nodiscard]] TensorOptions layout(std::optional<Layout> layout) const {
    return with(&TensorOptions::layout_, layout);
  }
  [[nodiscard]] TensorOptions pinned_memory(std::optional<bool> pinned) const {
    return with(&TensorOptions::pinned_memory_, pinned);
  }
  [[nodiscard]] TensorOptions memory_format(std::optional<MemoryFormat> format) const {
    return with(&TensorOptions::memory_format_, format);
  }
  // Throws NotImplementedError for true: whether calls are recorded is up to the caller of an
  // operator.
  [[nodiscard]] TensorOptions requires_grad(std::optional<bool> requires_grad) const {
    OPWRIGHT_CHECK_KIND(
        "NotImplementedError", !requires_grad.value_or(false),
        "TensorOptions::requires_grad: an operator cannot make a tensor that requires grad; "
        "set it where the result is used");
    return *this;
  }

  [[nodiscard]] ScalarType dtype() const { return dtype_.value; }
  [[nodiscard]] Device device() const { return device_.value; }
  [[nodiscard]] Layout layout() const { return layout_.value; }
  [[nodiscard]] bool pinned_memory() const { return pinned_memory_.value; }
  [[nodiscard]] bool requires_grad() const { return false; }
  [[nodiscard]] bool has_dtype() const { return dtype_.is_set; }
  [[nodiscard]] bool has_device() const { return device_.is_set; }
  [[nodiscard]] std::optional<ScalarType> dtype_opt() const { return dtype_.get(); }
  [[nodiscard]] std::optional<Device> device_opt() const { return device_.get(); }
  [[nodiscard]] std::optional<Layout> layout_opt() const { return layout_.get(); }
  [[nodiscard]] std::optional<bool> pinned_memory_opt() const { return pinned_memory_.get(); }
  [[nodiscard]] std::optional<MemoryFormat> memory_format_opt() const {
    return memory_format_.get();
  }

 private:
  // The value, or the default if it is not set.
  template <class T>
  struct Property {
    T value;
    bool is_set = false;
    [[nodiscard]] std::optional<T> get() const {
      return is_set ? std::optional<T>(value) : std::nullopt;
    }
  };
  template <class T>
  [[nodiscard]] TensorOptions with(Property<T> TensorOptions::* property,
                                   const std::optional<T>& value) const {
    TensorOptions changed = *this;
    changed.*property = value ? Property<T>{*value, true} : TensorOptions().*property;
    return changed;
  }

  Property<ScalarType> dtype_{kFloat};
  Property<Device> device_{kCPU};
  Property<Layout> layout_{kStrided};
  Property<bool> pinned_memory_{false};
  Property<MemoryFormat> memory_format_{MemoryFormat::Contiguous};
};

inline TensorOptions dtype(ScalarType dtype) { return TensorOptions(dtype); }
template <class T>
TensorOptions dtype() {
  return TensorOptions(CppTypeToScalarType<T>::value);
}
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions layout(Layout layout) { return TensorOptions(layout); }
inline TensorOptions requires_grad(bool requires_grad = true) {
  return TensorOptions().requires_grad(requires_grad);
}
}  // namespace c10
