#include "opwright/convert/ge/attribute.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/ge/model.h"
#include "opwright/convert/tensor_text.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/schema/constant.h"
#include "opwright/tensor.h"
#include "opwright/value.h"
#include "opwright/vendor/ge_types.h"

namespace opwright::graph_engine {
namespace {

[[noreturn]] void refuse(const std::string& name, const OpwValue& value) {
  throw_error(
      "TypeError", "GE: attribute '", name, "' cannot be ", value_text(value),
      "\n  Attributes are ints, floats, bools, strings, dtypes, tensors, and lists of them.");
}

AttributeKind kind_of_list(const std::string& name, const OpwValue& value);

AttributeKind kind_of(const std::string& name, const OpwValue& value) {
  switch (value.tag) {
    case kOpwInt:
      return AttributeKind::Int;
    case kOpwFloat:
      return AttributeKind::Float;
    case kOpwBool:
      return AttributeKind::Bool;
    case kOpwString:
      return AttributeKind::String;
    case kOpwDtype:
      return AttributeKind::Type;
    case kOpwTensor:
      return AttributeKind::Tensor;
    default:
      return kind_of_list(name, value);
  }
}

AttributeKind kind_of_list(const std::string& name, const OpwValue& value) {
  if (!is_list_tag(value.tag)) refuse(name, value);
  if (value.length == 0) return AttributeKind::ListInt;
  switch (kind_of(name, list_element(value, 0))) {
    case AttributeKind::Int:
      return AttributeKind::ListInt;
    case AttributeKind::Float:
      return AttributeKind::ListFloat;
    case AttributeKind::Bool:
      return AttributeKind::ListBool;
    case AttributeKind::String:
      return AttributeKind::ListString;
    case AttributeKind::Type:
      return AttributeKind::ListType;
    case AttributeKind::Tensor:
      return AttributeKind::ListTensor;
    case AttributeKind::ListInt:
      return AttributeKind::ListListInt;
    case AttributeKind::ListFloat:
      return AttributeKind::ListListFloat;
    default:
      refuse(name, value);
  }
}

// Converts dtypes to the engine's numbers.
Value with_numbers(const OpwValue& value) {
  if (value.tag == kOpwDtype) return Value(int64_t{data_type_of(ValueOf<DType>::read(value))});
  std::vector<int64_t> numbers;
  for (uint32_t i = 0; i < value.length; ++i)
    numbers.push_back(data_type_of(ValueOf<DType>::read(list_element(value, i))));
  return Value(numbers);
}

// Converts a number to a float, a list of them to a list of floats.
Value with_floats(const OpwValue& value) {
  if (!is_list_tag(value.tag)) return Value(static_cast<double>(value.as_int));
  std::vector<double> numbers;
  for (uint32_t i = 0; i < value.length; ++i)
    numbers.push_back(static_cast<double>(list_element(value, i).as_int));
  return Value(numbers);
}

}  // namespace

bool fits(AttributeKind wanted, AttributeKind given) {
  if (wanted == given) return true;
  switch (wanted) {
    case AttributeKind::Bytes:
      return given == AttributeKind::String;
    case AttributeKind::Int:
    case AttributeKind::Type:
      return given == AttributeKind::Int || given == AttributeKind::Type;
    case AttributeKind::ListType:
      return given == AttributeKind::ListInt;
    default:
      return false;
  }
}

Attribute make_attribute(std::string name, const OpwValue& value,
                         std::optional<AttributeKind> wanted) {
  AttributeKind kind = kind_of(name, value);
  Value held = kind == AttributeKind::Type || kind == AttributeKind::ListType
                   ? with_numbers(value)
                   : Value::copy_of(value);
  if (wanted) {
    const bool is_empty = is_list_tag(value.tag) && value.length == 0;
    const bool is_widened = (kind == AttributeKind::Int && *wanted == AttributeKind::Float) ||
                            (kind == AttributeKind::ListInt && *wanted == AttributeKind::ListFloat);
    if (is_widened) held = with_floats(value);
    if (is_widened || fits(*wanted, kind) || (is_empty && *wanted >= AttributeKind::ListInt))
      kind = *wanted;
  }
  return {.name = std::move(name), .kind = kind, .value = std::move(held)};
}

void append_text(std::string& out, const Attribute& attribute) {
  out += concatenate(attribute.name, " = ");
  const OpwValue& value = attribute.value.get();
  if (attribute.kind == AttributeKind::Tensor)
    return append_tensor(out, Tensor::borrow(value.as_tensor));
  if (attribute.kind == AttributeKind::Type) {
    out += data_type_name(static_cast<DataType>(value.as_int));
    return;
  }
  append_value_text(out, value);
}

}  // namespace opwright::graph_engine
