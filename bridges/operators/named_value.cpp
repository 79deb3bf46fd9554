#include "bridges/operators/named_value.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/runtime/bridge.h"
#include "opwright/value.h"

namespace opwright::bridges {
namespace {

constexpr std::string_view kMemoryFormats[] = {"contiguous_format", "preserve_format",
                                               "channels_last", "channels_last_3d"};

std::optional<OpwValue> dtype_value(std::string_view name) {
  for (const DTypeName& each : kDTypes) {
    if (each.name == name) return ValueOf<DType>::lend(each.dtype);
  }
  return std::nullopt;
}

std::optional<OpwValue> memory_format_value(std::string_view name) {
  for (size_t i = 0; i < std::size(kMemoryFormats); ++i) {
    if (kMemoryFormats[i] == name) return make_value(kOpwMemoryFormat, static_cast<int64_t>(i));
  }
  return std::nullopt;
}

}  // namespace

std::optional<OpwValue> value_of_text(ValueKind kind, std::string_view text) {
  switch (kind) {
    case ValueKind::String:
      return ValueOf<std::string_view>::lend(text);
    case ValueKind::DType:
      return dtype_value(text);
    case ValueKind::Device:
      if (text != "cpu" && !text.starts_with("cpu:")) return std::nullopt;
      return ValueOf<Device>::lend(Device(kOpwDeviceCpu));
    case ValueKind::Layout:
      if (text != "strided") return std::nullopt;
      return make_value(kOpwLayout, 0);
    case ValueKind::MemoryFormat:
      return memory_format_value(text);
    default:
      return std::nullopt;
  }
}

}  // namespace opwright::bridges
