#include "opwright/pt2/archive/tensor_json.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/memory_format.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/container/json.h"
#include "opwright/pt2/container/json_reader.h"
#include "opwright/pt2/container/json_writer.h"
#include "opwright/tensor/device/device_table.h"

namespace opwright::pt2 {
namespace {

// The numbers of torch/_export/serde/schema.py; they differ from those of torch.
struct NumberedDType {
  int64_t number;
  DType dtype;
};
constexpr auto kWrittenDTypes = std::to_array<NumberedDType>({
    {1, DType::UInt8},
    {2, DType::Int8},
    {3, DType::Int16},
    {4, DType::Int32},
    {5, DType::Int64},
    {6, DType::Float16},
    {7, DType::Float32},
    {8, DType::Float64},
    {10, DType::Complex64},
    {11, DType::Complex128},
    {12, DType::Bool},
    {13, DType::BFloat16},
    {28, DType::UInt16},
    {29, DType::Float8E4M3FN},
    {30, DType::Float8E5M2},
    {34, DType::UInt32},
    {35, DType::UInt64},
});
constexpr int64_t kStridedLayout = 7;
constexpr std::array kMemoryFormats = {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast,
                                       MemoryFormat::ChannelsLast3d, MemoryFormat::Preserve};

}  // namespace

DType read_dtype(const JsonReader& json) {
  const int64_t number = json.as_int();
  for (const NumberedDType& known : kWrittenDTypes) {
    if (known.number == number) return known.dtype;
  }
  json.fail(concatenate("the dtype number ", number, " is not supported"));
}

JsonValue write_dtype(DType dtype) {
  for (const NumberedDType& known : kWrittenDTypes) {
    if (known.dtype == dtype) return JsonValue(known.number);
  }
  throw_error("NotImplementedError", "save: PyTorch's archives have no tensors of ", dtype);
}

Layout read_layout(const JsonReader& json) {
  if (json.as_int() != kStridedLayout)
    json.fail(concatenate("only strided tensors are supported, got layout ", json.as_int()));
  return Layout::Strided;
}

JsonValue write_layout(Layout /*layout*/) { return JsonValue(kStridedLayout); }

MemoryFormat read_memory_format(const JsonReader& json) {
  const int64_t number = json.as_int();
  if (number < 1 || number > static_cast<int64_t>(kMemoryFormats.size()))
    json.fail(concatenate("the memory format number ", number, " is not known"));
  return kMemoryFormats[static_cast<size_t>(number - 1)];
}
JsonValue write_memory_format(MemoryFormat format) {
  const auto* found = std::ranges::find(kMemoryFormats, format);
  return JsonValue(int64_t{1} + (found - kMemoryFormats.begin()));
}

Device read_device(const JsonReader& json) {
  Device device = parse_device(json.member("type").as_string());
  if (json.has("index")) {
    const int64_t index = json.member("index").as_int();
    if (index < 0 || index > INT16_MAX) json.fail(concatenate("no device has the index ", index));
    if (!has_one_device(device.type)) device.index = static_cast<int32_t>(index);
  }
  return device;
}

JsonValue write_device(Device device) {
  const char* name = find_device_name(device.type);
  OPWRIGHT_CHECK_VALUE(name, "save: the device ", device, " has no name");
  const bool has_index = device.index >= 0 && !has_one_device(device.type);
  return json_object({{"type", json_string(name)},
                      {"index", has_index ? JsonValue(int64_t{device.index}) : JsonValue()}});
}

WrittenSize read_size(const JsonReader& json) {
  const JsonReader content = json.content();
  if (json.tag() == "as_int") return {.number = content.as_int(), .expression = {}};
  if (json.tag() != "as_expr") json.fail(concatenate("a size cannot be '", json.tag(), "'"));
  WrittenSize size{.expression = content.member("expr_str").as_string()};
  if (size.expression.empty()) json.fail("the expression of a size is empty");
  size.has_hint = content.has("hint");
  if (size.has_hint) {
    const JsonReader hint = content.member("hint");
    size.has_hint = hint.tag() == "as_int";
    if (size.has_hint) size.number = hint.content().as_int();
  }
  return size;
}

JsonValue write_condition(const WrittenSize& size) {
  JsonValue hint = size.has_hint ? json_object({{"as_int", JsonValue(size.number)}}) : JsonValue();
  return json_object({{"as_expr", json_object({{"expr_str", json_string(size.expression)},
                                               {"hint", std::move(hint)}})}});
}
JsonValue write_size(const WrittenSize& size) {
  if (size.expression.empty()) return json_object({{"as_int", JsonValue(size.number)}});
  return write_condition(size);
}

WrittenTensor read_tensor(const JsonReader& json) {
  (void)read_layout(json.member("layout"));
  WrittenTensor tensor{.dtype = read_dtype(json.member("dtype")),
                       .sizes = json.member("sizes").list(read_size),
                       .strides = json.member("strides").list(read_size),
                       .offset = read_size(json.member("storage_offset")),
                       .device = read_device(json.member("device")),
                       .requires_grad = json.member("requires_grad").as_bool()};
  if (tensor.sizes.size() != tensor.strides.size())
    json.fail(concatenate("a tensor has ", tensor.sizes.size(), " sizes and ",
                          tensor.strides.size(), " strides"));
  return tensor;
}

JsonValue write_tensor(const WrittenTensor& tensor) {
  return json_object({{"dtype", write_dtype(tensor.dtype)},
                      {"sizes", json_list(tensor.sizes, write_size)},
                      {"requires_grad", JsonValue(tensor.requires_grad)},
                      {"device", write_device(tensor.device)},
                      {"strides", json_list(tensor.strides, write_size)},
                      {"storage_offset", write_size(tensor.offset)},
                      {"layout", write_layout(Layout::Strided)}});
}
}  // namespace opwright::pt2
