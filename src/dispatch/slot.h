// The slots of an operator's row: a kernel for each device, the fake kernel, composite bodies, and
// the rules.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "opwright/c_api.h"
#include "opwright/visibility.h"

namespace opwright {

inline constexpr uint8_t kNumDeviceSlots = 16;

// The first sixteen are devices, by the bit that the device table assigned; cpu is the first.
enum class Slot : uint8_t {
  Cpu = 0,
  Fake = kNumDeviceSlots,  // also for meta tensors
  AllDevices,              // a kernel for every device without its own; it needs memory
  ExplicitComposite,       // a body for all devices, with its own autograd formula or none
  ImplicitComposite,       // a body that transforms see through
  Autograd,                // backward formula
  SetupContext,            // saves values of the forward for it
  KeepOld,                 // keeps values from before a write
  Jvp,
  Vmap,
  Scatter,     // for a view: the base with the view's part replaced
  Functional,  // for a mutable operator: its functional form
  Autocast,
  Decompose,
  Convert,         // to nodes of foreign graphs
  AutogradKernel,  // runs in place of recording the call, and records what it calls
};
inline constexpr uint8_t kNumSlots = static_cast<uint8_t>(Slot::AutogradKernel) + 1;

constexpr bool is_device(Slot slot) { return static_cast<uint8_t>(slot) < kNumDeviceSlots; }
// Whether a call can end there; the other slots hold rules that transforms look up.
constexpr bool is_callable(Slot slot) {
  return static_cast<uint8_t>(slot) <= static_cast<uint8_t>(Slot::Fake);
}

// Whether its function runs for slots without their own.
constexpr bool stands_in(Slot slot) {
  return slot == Slot::AllDevices || slot == Slot::ExplicitComposite ||
         slot == Slot::ImplicitComposite || slot == Slot::AutogradKernel;
}

// The slot of a device type; assigns its bit at first use.
Slot device_slot(int32_t device_type);

// Parses a device name ("cpu", "npu") or one of PyTorch's key names ("CPU", "Meta",
// "CompositeImplicitAutograd", "PrivateUse1", ...). Throws ValueError with the available names if
// it is neither.
OPWRIGHT_EXPORT Slot parse_slot(std::string_view name);

// The spelling in OPWRIGHT_LIBRARY_IMPL: "CPU", "Fake", "CompositeImplicitAutograd", ...
OPWRIGHT_EXPORT std::string slot_name(Slot slot);
// The spelling in Python's device_types: "cpu".
std::string slot_device_name(Slot slot);

}  // namespace opwright
