#include "bridges/torch/stack_numbers.h"

#include <bit>
#include <cstdint>

#include "bridges/torch/stable_abi.h"
#include "bridges/torch/torch_numbers.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {
namespace {

OpwDevice read_device(StableValue value) {
  return {.type = device_type_from_torch(static_cast<int32_t>(value >> 32)),
          .index = static_cast<int32_t>(value & 0xffffffff)};
}

StableValue write_int(const OpwValue& value) {
  const bool is_int = value.tag == kOpwInt || value.tag == kOpwBool ||
                      (value.tag == kOpwSymInt && value.as_int >= kOpwSmallestInt);
  if (!is_int) throw_wrong_tag("int", value);
  return static_cast<StableValue>(value.as_int);
}
StableValue write_float(const OpwValue& value) {
  if (value.tag == kOpwInt) return std::bit_cast<StableValue>(static_cast<double>(value.as_int));
  require_tag(value, kOpwFloat);
  return std::bit_cast<StableValue>(value.as_double);
}
StableValue write_device(const OpwValue& value) {
  require_tag(value, kOpwDeviceValue);
  const auto type = static_cast<StableValue>(device_type_to_torch(value.as_device.type));
  return type << 32 | static_cast<uint32_t>(value.as_device.index);
}
StableValue write_dtype(const OpwValue& value) {
  require_tag(value, kOpwDtype);
  return static_cast<StableValue>(dtype_to_torch(to_dlpack(static_cast<DType>(value.as_int))));
}

}  // namespace

void throw_wrong_tag(const char* expected, const OpwValue& value) {
  throw_error("TypeError", "expected ", expected, ", got ", tag_name(value.tag));
}

void require_tag(const OpwValue& value, OpwTag tag) {
  if (value.tag != tag) [[unlikely]]
    throw_wrong_tag(tag_name(tag), value);
}

OpwValue read_number(ValueKind kind, StableValue value) {
  OpwValue result{};
  result.as_int = static_cast<int64_t>(value);
  switch (kind) {
    case ValueKind::Int:
      result.tag = kOpwInt;
      break;
    case ValueKind::SymInt:
      OPWRIGHT_CHECK_KIND("OverflowError", result.as_int >= kOpwSmallestInt, "the size ",
                          result.as_int, " is too small");
      result.tag = kOpwSymInt;
      break;
    case ValueKind::Float:
      result.tag = kOpwFloat;
      result.as_double = std::bit_cast<double>(value);
      break;
    case ValueKind::Bool:
      result.tag = kOpwBool;
      result.as_int = static_cast<int64_t>((value & 0xff) != 0);
      break;
    case ValueKind::DType:
      result.tag = kOpwDtype;
      result.as_int =
          static_cast<int64_t>(from_dlpack(dtype_from_torch(static_cast<int32_t>(value))));
      break;
    case ValueKind::Device:
      result.tag = kOpwDeviceValue;
      result.as_device = read_device(value);
      break;
    case ValueKind::Layout:
      result.tag = kOpwLayout;
      result.as_int = layout_from_torch(static_cast<int32_t>(value));
      break;
    default:
      result.tag = kOpwMemoryFormat;
      result.as_int = memory_format_from_torch(static_cast<int32_t>(value));
      break;
  }
  return result;
}

StableValue write_number(ValueKind kind, const OpwValue& value) {
  switch (kind) {
    case ValueKind::Int:
    case ValueKind::SymInt:
      return write_int(value);
    case ValueKind::Float:
      return write_float(value);
    case ValueKind::Bool:
      require_tag(value, kOpwBool);
      return value.as_int != 0 ? 1 : 0;
    case ValueKind::DType:
      return write_dtype(value);
    case ValueKind::Device:
      return write_device(value);
    case ValueKind::Layout:
      require_tag(value, kOpwLayout);
      return static_cast<StableValue>(layout_to_torch(value.as_int));
    default:
      require_tag(value, kOpwMemoryFormat);
      return static_cast<StableValue>(memory_format_to_torch(value.as_int));
  }
}

}  // namespace opwright::torch_bridge
