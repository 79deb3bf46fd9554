#include "bridges/jax/attribute_value.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "bridges/jax/jax_operator.h"
#include "bridges/jax/xla_arguments.h"
#include "bridges/jax/xla_ffi.h"
#include "bridges/operators/named_value.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/value.h"

namespace opwright::jax_bridge {
namespace {

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::optional<OpwValue> integer_of(const XlaScalar& scalar, OpwTag tag) {
  switch (scalar.dtype) {
    case XlaDType::S64:
      return make_value(tag, load<int64_t>(scalar.value));
    case XlaDType::S32:
      return make_value(tag, load<int32_t>(scalar.value));
    default:
      return std::nullopt;
  }
}

std::optional<OpwValue> float_of(const XlaScalar& scalar) {
  switch (scalar.dtype) {
    case XlaDType::F64:
      return ValueOf<double>::lend(load<double>(scalar.value));
    case XlaDType::F32:
      return ValueOf<double>::lend(static_cast<double>(load<float>(scalar.value)));
    default:
      return std::nullopt;
  }
}

std::optional<OpwValue> bool_of(const XlaScalar& scalar) {
  if (scalar.dtype != XlaDType::Pred) return std::nullopt;
  return make_value(kOpwBool, load<uint8_t>(scalar.value) != 0 ? 1 : 0);
}

std::optional<OpwValue> any_number_of(const XlaScalar& scalar) {
  if (const auto value = bool_of(scalar)) return value;
  if (const auto value = integer_of(scalar, kOpwInt)) return value;
  return float_of(scalar);
}

std::optional<OpwValue> scalar_value(ValueKind kind, const XlaScalar& scalar) {
  switch (kind) {
    case ValueKind::Int:
      return integer_of(scalar, kOpwInt);
    case ValueKind::SymInt:
      return integer_of(scalar, kOpwSymInt);
    case ValueKind::Float:
      return float_of(scalar);
    case ValueKind::Bool:
      return bool_of(scalar);
    case ValueKind::Scalar:
      return any_number_of(scalar);
    case ValueKind::Layout:
      return integer_of(scalar, kOpwLayout);
    case ValueKind::MemoryFormat:
      return integer_of(scalar, kOpwMemoryFormat);
    default:
      return std::nullopt;
  }
}

struct ListForm {
  ValueKind kind;
  XlaDType dtype;
  OpwTag tag;
};
constexpr ListForm kListForms[] = {
    {ValueKind::Int, XlaDType::S64, kOpwIntList},
    {ValueKind::SymInt, XlaDType::S64, kOpwSymIntList},
    {ValueKind::Float, XlaDType::F64, kOpwFloatList},
    {ValueKind::Bool, XlaDType::U8, kOpwBoolList},
};

std::optional<OpwValue> array_value(const ValueType& type, const XlaArray& array) {
  OpwValue value{};
  value.length = static_cast<uint32_t>(array.size);
  value.as_values = array.data;
  if (!type.is_list) {
    const bool takes_complex = type.kind == ValueKind::Complex || type.kind == ValueKind::Scalar;
    if (!takes_complex || array.dtype != XlaDType::F64 || array.size != 2) return std::nullopt;
    value.tag = kOpwComplex;
    return value;
  }
  for (const ListForm& form : kListForms) {
    if (form.kind != type.kind || form.dtype != array.dtype) continue;
    value.tag = form.tag;
    return value;
  }
  return std::nullopt;
}

std::optional<OpwValue> text_value(ValueKind kind, const XlaText& text) {
  return bridges::value_of_text(kind, std::string_view(text.characters, text.length));
}

std::optional<OpwValue> read_value(const ValueType& type, const XlaAttribute& attribute) {
  switch (attribute.type) {
    case XlaAttributeType::Scalar:
      if (type.is_list) return std::nullopt;
      return scalar_value(type.kind, *static_cast<const XlaScalar*>(attribute.value));
    case XlaAttributeType::Array:
      return array_value(type, *static_cast<const XlaArray*>(attribute.value));
    case XlaAttributeType::String:
      return text_value(type.kind, *static_cast<const XlaText*>(attribute.value));
    default:
      return std::nullopt;
  }
}

const char* form_of(const XlaAttribute& attribute) {
  switch (attribute.type) {
    case XlaAttributeType::Scalar:
      return "a number";
    case XlaAttributeType::Array:
      return "an array";
    case XlaAttributeType::String:
      return "a string";
    default:
      return "a dictionary";
  }
}

}  // namespace

OpwValue value_of_attribute(const JaxOperator& op, size_t index, const XlaAttribute& attribute) {
  const ValueType& type = op.description.arguments[index].type;
  const std::optional<OpwValue> value = read_value(type, attribute);
  OPWRIGHT_CHECK_TYPE(value, name_argument(op, index), " is of type ", type.text,
                      ", which its attribute, ", form_of(attribute), ", cannot be read as");
  return *value;
}

}  // namespace opwright::jax_bridge
