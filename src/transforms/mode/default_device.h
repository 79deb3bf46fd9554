// The device of a `with` block: a mode that gives it to calls that create tensors.
#pragma once

#include <optional>

#include "opwright/device.h"
#include "opwright/dispatch/mode.h"
#include "opwright/visibility.h"

namespace opwright {

// Operators without tensor arguments that take a device, and for which none is given, get this one.
class OPWRIGHT_EXPORT DefaultDevice final : public Mode {
 public:
  // Becomes the innermost mode of this thread until it is destroyed.
  explicit DefaultDevice(Device device) : device_(device), scope_(*this) {}

  bool process(const Operator& op, Arguments args, Results results) override;

  [[nodiscard]] Device device() const noexcept { return device_; }

 private:
  Device device_;
  ModeScope scope_;
};

// The device of the innermost DefaultDevice of this thread; empty if there is none.
[[nodiscard]] OPWRIGHT_EXPORT std::optional<Device> default_device();

}  // namespace opwright
