#include "opwright/dispatch/slot.h"

#include <bit>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "opwright/base/suggest.h"
#include "opwright/tensor/device/device_table.h"

namespace opwright {
namespace {

struct SlotName {
  Slot slot;
  const char* name;
};
// The first name of a slot is the displayed one. PyTorch's names are also accepted.
constexpr SlotName kRuleNames[] = {
    {Slot::Fake, "Fake"},
    {Slot::Fake, "Meta"},
    {Slot::AllDevices, "AllDevices"},
    {Slot::ExplicitComposite, "CompositeExplicitAutograd"},
    {Slot::ImplicitComposite, "CompositeImplicitAutograd"},
    {Slot::ImplicitComposite, "Composite"},
    {Slot::Autograd, "Autograd"},
    {Slot::SetupContext, "SetupContext"},
    {Slot::KeepOld, "KeepOld"},
    {Slot::Jvp, "Jvp"},
    {Slot::Vmap, "Vmap"},
    {Slot::Vmap, "FuncTorchBatched"},
    {Slot::Scatter, "Scatter"},
    {Slot::Functional, "Functional"},
    {Slot::Autocast, "Autocast"},
    {Slot::Decompose, "Decompose"},
    {Slot::Convert, "Convert"},
    {Slot::AutogradKernel, "AutogradKernel"},
};
struct KeyName {
  const char* key;
  const char* device;
};
// Keys whose spelling is not the device's name in upper case.
constexpr KeyName kDeviceKeys[] = {
    {"PrivateUse1", "privateuse1"}, {"OpenCL", "opencl"}, {"Vulkan", "vulkan"}};

std::string in_case(std::string_view text, int (*change)(int)) {
  std::string changed;
  for (const char character : text)
    changed.push_back(static_cast<char>(change(static_cast<unsigned char>(character))));
  return changed;
}

std::string key_of_device(const std::string& device) {
  for (const KeyName& entry : kDeviceKeys) {
    if (device == entry.device) return entry.key;
  }
  return in_case(device, std::toupper);
}

}  // namespace

Slot device_slot(int32_t device_type) {
  return static_cast<Slot>(std::countr_zero(device_bit(device_type)));
}

Slot parse_slot(std::string_view name) {
  for (const SlotName& entry : kRuleNames) {
    if (name == entry.name) return entry.slot;
  }
  if (name == "meta") return Slot::Fake;
  const std::string lower = in_case(name, std::tolower);
  const std::optional<int32_t> type = find_device_type(lower);
  if (type && (name == lower || name == key_of_device(lower))) return device_slot(*type);
  const std::vector<std::string> devices = device_names();
  for (const std::string& device : devices) {
    if (name == device || name == key_of_device(device))
      return device_slot(*find_device_type(device));
  }
  std::vector<std::string> known;
  for (const std::string& device : devices) {
    if (device != "meta") known.push_back(key_of_device(device));
  }
  for (const SlotName& entry : kRuleNames) known.emplace_back(entry.name);
  std::vector<std::string> near = known;
  near.insert(near.end(), devices.begin(), devices.end());
  std::string text = concatenate("unknown device or dispatch key '", name, "'");
  if (const auto meant = closest(name, near)) text += concatenate("; did you mean '", *meant, "'?");
  text += "\n  known:";
  for (const std::string& each : known) text += " " + each;
  text += "; a plug-in adds a device when it is loaded";
  throw Error("ValueError", text);
}

std::string slot_name(Slot slot) {
  if (is_device(slot)) return key_of_device(slot_device_name(slot));
  for (const SlotName& entry : kRuleNames) {
    if (entry.slot == slot) return entry.name;
  }
  return concatenate("slot ", static_cast<int>(slot));
}

std::string slot_device_name(Slot slot) {
  if (!is_device(slot)) return "meta";
  return find_device_name(device_type_of_bit(uint32_t{1} << static_cast<uint8_t>(slot)));
}

}  // namespace opwright
