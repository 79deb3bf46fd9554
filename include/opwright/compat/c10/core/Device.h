// c10::Device: opwright::Device with PyTorch's methods.
#pragma once

#include <cstdlib>
#include <iosfwd>
#include <string>
#include <string_view>

#include "opwright/compat/c10/core/DeviceType.h"
#include "opwright/value.h"

namespace c10 OPWRIGHT_VISIBILITY {
class Device {
 public:
  // NOLINTBEGIN(google-explicit-constructor)
  constexpr Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  // "cpu", "cuda", "cuda:1"; throws ValueError for a name that is not common to all hosts.
  Device(const std::string& text) : Device(parse(text)) {}
  Device(const char* text) : Device(parse(text)) {}
  // A cpu device has no index, as in PyTorch.
  constexpr Device(opwright::Device device)
      : type_(static_cast<DeviceType>(device.type)),
        index_(device.type == kOpwDeviceCpu ? -1 : device.index) {}
  constexpr operator opwright::Device() const {
    return opwright::Device(static_cast<int32_t>(type_), type_ == DeviceType::CPU ? 0 : index_);
  }
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] constexpr DeviceType type() const { return type_; }
  [[nodiscard]] constexpr DeviceIndex index() const { return index_; }
  [[nodiscard]] constexpr bool has_index() const { return index_ != -1; }
  [[nodiscard]] constexpr bool is_cpu() const { return type_ == DeviceType::CPU; }
  [[nodiscard]] constexpr bool is_cuda() const { return type_ == DeviceType::CUDA; }
  [[nodiscard]] constexpr bool is_meta() const { return type_ == DeviceType::Meta; }
  [[nodiscard]] constexpr bool is_privateuseone() const { return type_ == DeviceType::PrivateUse1; }
  [[nodiscard]] std::string str() const { return opwright::concatenate(opwright::Device(*this)); }

  friend constexpr bool operator==(const Device&, const Device&) = default;

 private:
  static Device parse(std::string_view text) {
    const std::string_view name = text.substr(0, text.find(':'));
    const int index = name.size() == text.size()
                          ? -1
                          : std::atoi(std::string(text.substr(name.size() + 1)).c_str());
    for (const opwright::DeviceName& known : opwright::kDeviceNames) {
      if (name == known.name) return {static_cast<DeviceType>(known.type), index};
    }
    opwright::throw_error("ValueError", "unknown device '", text, "'");
  }

  DeviceType type_;
  DeviceIndex index_;
};

inline void append_text(std::string& out, const Device& device) { out.append(device.str()); }
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                             const Device& device) {
  return out << device.str();
}
}  // namespace c10

template <>
struct opwright::ValueOf<c10::Device> : opwright::ValueOf<opwright::Device> {};
