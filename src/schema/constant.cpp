#include "opwright/schema/constant.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "opwright/schema/constant_names.h"
#include "opwright/tensor/device/device_table.h"

namespace opwright {
namespace {

bool equal_floats(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

bool equal_lists(const OpwValue& a, const OpwValue& b) {
  if (a.length != b.length) return false;
  for (uint32_t i = 0; i < a.length; ++i) {
    if (!equal_values(list_element(a, i), list_element(b, i))) return false;
  }
  return true;
}

bool equal_objects(const OpwObject* a, const OpwObject* b) {
  if (a == b) return true;
  return a && b && a->table == b->table && a->table->equal(a, b) != 0;
}

void append_complex(std::string& out, double real, double imaginary) {
  const bool has_real = std::bit_cast<uint64_t>(real) != 0;
  if (has_real) {
    append_float_text(out, real);
    if (!std::signbit(imaginary) || std::isnan(imaginary)) out.push_back('+');
  }
  append_float_text(out, imaginary);
  out.push_back('j');
}

void append_device(std::string& out, Device device) {
  const char* name = find_device_name(device.type);
  std::string text = name ? std::string(name) : concatenate("device", device.type);
  if (device.index >= 0) text.append(":").append(std::to_string(device.index));
  append_quoted(out, text);
}

void append_named(std::string& out, const char* name_or_null, int64_t number) {
  out.append(name_or_null ? std::string(name_or_null) : std::to_string(number));
}

void append_object(std::string& out, const OpwObject* object) {
  if (!object) return out.append("<object>"), void();
  std::string text(object->table->text(object, nullptr, 0), '\0');
  object->table->text(object, text.data(), text.size() + 1);
  out.append("<").append(object->table->type_name).append(" ").append(text).append(">");
}

void append_list(std::string& out, const OpwValue& list) {
  out.push_back('[');
  for (uint32_t i = 0; i < list.length; ++i) {
    if (i != 0) out.append(", ");
    append_value_text(out, list_element(list, i));
  }
  out.push_back(']');
}

template <class T, class Read>
OpwValue pack_plain(OpwTag tag, std::span<Value> elements, Read read) {
  T* array = allocate_list<T>(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) array[i] = read(elements[i]);
  OpwValue list{};
  list.tag = tag;
  list.length = static_cast<uint32_t>(elements.size());
  list.as_values = static_cast<const void*>(array);
  return list;
}

}  // namespace

bool is_list_tag(uint32_t tag) noexcept { return tag >= kOpwIntList && tag <= kOpwList; }

OpwValue list_element(const OpwValue& list, uint32_t index) noexcept {
  OpwValue element{};
  switch (list.tag) {
    case kOpwIntList:
      element.tag = kOpwInt;
      element.as_int = list.as_ints[index];
      break;
    case kOpwSymIntList:
      element.tag = kOpwSymInt;
      element.as_int = list.as_ints[index];
      break;
    case kOpwFloatList:
      element.tag = kOpwFloat;
      element.as_double = list.as_doubles[index];
      break;
    case kOpwBoolList:
      element.tag = kOpwBool;
      element.as_int = list.as_bytes[index];
      break;
    case kOpwTensorList:
      element.tag = kOpwTensor;
      element.as_tensor = list.as_tensors[index];
      break;
    default:
      element = static_cast<const OpwValue*>(list.as_values)[index];
  }
  return element;
}

bool equal_values(const OpwValue& a, const OpwValue& b) {
  if (a.tag != b.tag) return false;
  if (is_list_tag(a.tag)) return equal_lists(a, b);
  switch (a.tag) {
    case kOpwNone:
      return true;
    case kOpwFloat:
      return equal_floats(a.as_double, b.as_double);
    case kOpwComplex:
      return equal_floats(a.as_doubles[0], b.as_doubles[0]) &&
             equal_floats(a.as_doubles[1], b.as_doubles[1]);
    case kOpwString:
      return std::string_view(a.as_string, a.length) == std::string_view(b.as_string, b.length);
    case kOpwDeviceValue:
      return Device(a.as_device) == Device(b.as_device);
    case kOpwTensor:
      return a.as_tensor == b.as_tensor;
    case kOpwObject:
      return equal_objects(a.as_object, b.as_object);
    default:
      return a.as_int == b.as_int;
  }
}

void append_value_text(std::string& out, const OpwValue& value) {
  if (is_list_tag(value.tag)) return append_list(out, value);
  switch (value.tag) {
    case kOpwInt:
      return append_text(out, value.as_int);
    case kOpwSymInt:
      return append_text(out, SymInt::borrow(value.as_int));
    case kOpwFloat:
      return append_float_text(out, value.as_double);
    case kOpwBool:
      return append_text(out, value.as_int != 0 ? "True" : "False");
    case kOpwComplex:
      return append_complex(out, value.as_doubles[0], value.as_doubles[1]);
    case kOpwString:
      return append_quoted(out, {value.as_string, value.length});
    case kOpwDtype:
      return append_named(out, dtype_name_or_null(static_cast<DType>(value.as_int)), value.as_int);
    case kOpwDeviceValue:
      return append_device(out, value.as_device);
    case kOpwLayout:
      return append_named(out, layout_name_or_null(value.as_int), value.as_int);
    case kOpwMemoryFormat:
      return append_named(out, memory_format_name_or_null(value.as_int), value.as_int);
    case kOpwObject:
      return append_object(out, value.as_object);
    case kOpwNone:
      return append_text(out, "None");
    default:
      return append_text(out, concatenate("<", tag_name(value.tag), ">"));
  }
}

std::string value_text(const OpwValue& value) {
  std::string text;
  append_value_text(text, value);
  return text;
}

void append_float_text(std::string& out, double number) {
  if (std::isnan(number)) return append_text(out, "nan");
  if (std::isinf(number)) return append_text(out, number < 0 ? "-inf" : "inf");
  const double size = std::abs(number);
  const bool is_plain =
      size == 0 || (size >= 1e-4 && size < 1e16);  // the range where Python writes no exponent
  char buffer[40];
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  const char* end = std::to_chars(buffer, buffer + sizeof buffer, number, format).ptr;
  const std::string_view text(buffer, static_cast<size_t>(end - buffer));
  out.append(text);
  if (text.find_first_of(".e") == std::string_view::npos) out.append(".0");
}

void append_quoted(std::string& out, std::string_view text) {
  constexpr std::string_view kEscaped = "\"\\\n\t\r\a\b\f\v";
  constexpr std::string_view kLetters = "\"\\ntrabfv";
  out.push_back('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (const size_t at = kEscaped.find(c); at != std::string_view::npos) {
      out.push_back('\\');
      out.push_back(kLetters[at]);
    } else if (byte < 0x20 || byte == 0x7f) {  // three octal digits: torch reads no other form
      out.push_back('\\');
      for (const int shift : {6, 3, 0}) out.push_back(static_cast<char>('0' + (byte >> shift & 7)));
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

Value pack_list(OpwTag tag, std::span<Value> elements) {
  switch (tag) {
    case kOpwIntList:
    case kOpwSymIntList:
      return Value::take(
          pack_plain<int64_t>(tag, elements, [](const Value& v) { return v.get().as_int; }));
    case kOpwFloatList:
      return Value::take(
          pack_plain<double>(tag, elements, [](const Value& v) { return v.get().as_double; }));
    case kOpwBoolList:
      return Value::take(pack_plain<uint8_t>(
          tag, elements, [](const Value& v) { return static_cast<uint8_t>(v.get().as_int); }));
    case kOpwTensorList:
      return Value::take(
          pack_plain<OpwTensor*>(tag, elements, [](Value& v) { return v.give().as_tensor; }));
    default:
      return Value::take(
          pack_plain<OpwValue>(kOpwList, elements, [](Value& v) { return v.give(); }));
  }
}

}  // namespace opwright
