#include "bridges/torch/torch_numbers.h"

#include <cstddef>
#include <cstdint>

#include "bridges/torch/stable_abi.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"

namespace opwright::torch_bridge {
namespace {

constexpr int32_t kNone = -1;
constexpr size_t kNumDtypes = 128;  // more than torch has
constexpr size_t kNumDevices = 64;
constexpr size_t kNumCodes = 16;  // of DLPack
constexpr size_t kMaxBytes = 16;  // of an element

struct TorchNumbers {
  OpwDtype dtypes[kNumDtypes];          // lanes 0: not one of ours
  const char* dtype_names[kNumDtypes];  // of those that are not ours
  int32_t dtype_numbers[kNumCodes][kMaxBytes + 1];
  int32_t devices[kNumDevices];             // 0: not one of ours
  int32_t device_numbers[2 * kNumDevices];  // by our type; beyond: `meta`
  int32_t meta;
  int32_t strided;
  int32_t memory_formats[4];
};
TorchNumbers torch_numbers;

// kNone if this torch does not have it.
int32_t ask(const char* getter) {
  auto* function = reinterpret_cast<int32_t (*)()>(find_torch_symbol(getter));
  return function ? function() : kNone;
}
int32_t ask_dtype(const char* name) { return ask(concatenate("aoti_torch_dtype_", name).c_str()); }

void find_dtypes() {
  for (auto& row : torch_numbers.dtype_numbers) {
    for (int32_t& number : row) number = kNone;
  }
  for (const DTypeName& entry : kDTypes) {
    const int32_t number = ask_dtype(entry.name);
    if (number < 0 || static_cast<size_t>(number) >= kNumDtypes) continue;
    const OpwDtype dtype = to_dlpack(entry.dtype);
    torch_numbers.dtypes[number] = dtype;
    torch_numbers.dtype_numbers[dtype.code][dtype.bits / 8] = number;
  }
  for (const char* name :
       {"complex32", "float8_e5m2fnuz", "float8_e4m3fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2"}) {
    const int32_t number = ask_dtype(name);
    if (number >= 0 && static_cast<size_t>(number) < kNumDtypes)
      torch_numbers.dtype_names[number] = name;
  }
}

void add_device(int32_t type, const char* getter) {
  const int32_t number = ask(getter);
  if (number < 0 || static_cast<size_t>(number) >= kNumDevices) return;
  torch_numbers.devices[number] = type;
  torch_numbers.device_numbers[type] = number;
}

void find_devices() {
  for (int32_t& number : torch_numbers.device_numbers) number = kNone;
  add_device(kOpwDeviceCpu, "aoti_torch_device_type_cpu");
  add_device(kOpwDeviceCuda, "aoti_torch_device_type_cuda");
  add_device(kOpwDeviceXpu, "aoti_torch_device_type_xpu");
  add_device(kOpwDeviceMps, "aoti_torch_device_type_mps");
  add_device(kOpwDevicePrivate, "aoti_torch_device_type_privateuse1");
  torch_numbers.meta = ask("aoti_torch_device_type_meta");
  if (torch_numbers.meta >= 0) torch_numbers.devices[torch_numbers.meta] = kOpwDeviceMeta;
}

}  // namespace

void find_torch_numbers() {
  find_dtypes();
  find_devices();
  torch_numbers.strided = ask("aoti_torch_layout_strided");
  // In the order of kOpwMemoryFormat.
  torch_numbers.memory_formats[0] = ask("aoti_torch_memory_format_contiguous_format");
  torch_numbers.memory_formats[1] = ask("aoti_torch_memory_format_preserve_format");
  torch_numbers.memory_formats[2] = ask("aoti_torch_memory_format_channels_last");
  torch_numbers.memory_formats[3] = ask("aoti_torch_memory_format_channels_last_3d");
}

OpwDtype dtype_from_torch(int32_t number) {
  const auto place = static_cast<size_t>(number);
  if (place < kNumDtypes && torch_numbers.dtypes[place].lanes != 0) [[likely]]
    return torch_numbers.dtypes[place];
  const char* name = place < kNumDtypes ? torch_numbers.dtype_names[place] : nullptr;
  if (name) throw_error("TypeError", "torch.", name, " is a dtype that Opwright does not have");
  throw_error("TypeError",
              "the tensor is undefined or quantized, or of a dtype that Opwright does ",
              "not have (number ", number, " of torch)");
}

int32_t dtype_to_torch(OpwDtype dtype) {
  if (dtype.code < kNumCodes && dtype.bits / 8 <= static_cast<int>(kMaxBytes)) [[likely]] {
    const int32_t number = torch_numbers.dtype_numbers[dtype.code][dtype.bits / 8];
    if (number != kNone) [[likely]]
      return number;
  }
  throw_error("TypeError", "torch ", torch_version_text(), " has no dtype ", from_dlpack(dtype));
}

int32_t device_type_from_torch(int32_t number) {
  const auto place = static_cast<size_t>(number);
  if (place < kNumDevices && torch_numbers.devices[place] != 0) [[likely]]
    return torch_numbers.devices[place];
  throw_error("TypeError", "a device of torch that Opwright does not have (number ", number, ")");
}

int32_t device_type_to_torch(int32_t type) {
  if (type == kOpwDeviceMeta && torch_numbers.meta != kNone) return torch_numbers.meta;
  const auto place = static_cast<size_t>(type);
  if (place < 2 * kNumDevices && torch_numbers.device_numbers[place] != kNone) [[likely]]
    return torch_numbers.device_numbers[place];
  throw_error("TypeError", "torch has no device ", Device(type));
}

int64_t layout_from_torch(int32_t number) {
  OPWRIGHT_CHECK_TYPE(number == torch_numbers.strided,
                      "only torch.strided tensors have a layout that Opwright knows");
  return 0;
}

int32_t layout_to_torch(int64_t layout) {
  OPWRIGHT_CHECK_TYPE(layout == 0, "torch has no layout with the number ", layout);
  return torch_numbers.strided;
}

int64_t memory_format_from_torch(int32_t number) {
  for (int64_t format = 0; format < 4; ++format) {
    if (torch_numbers.memory_formats[format] == number) return format;
  }
  throw_error("TypeError", "a memory format of torch that Opwright does not have (number ", number,
              ")");
}

int32_t memory_format_to_torch(int64_t format) {
  OPWRIGHT_CHECK_TYPE(format >= 0 && format < 4 && torch_numbers.memory_formats[format] != kNone,
                      "torch has no memory format with the number ", format);
  return torch_numbers.memory_formats[format];
}

bool is_strided_layout(int32_t number) noexcept { return number == torch_numbers.strided; }

}  // namespace opwright::torch_bridge
