#include "opwright/convert/ge/attribute.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/ge/model.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ge_types.h"
#include "opwright/schema/constant.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::graph_engine {
namespace {

using Kind = AttributeKind;

[[noreturn]] void refuse(const std::string& name, const OpwValue& value) {
  throw_error(
      "TypeError", "GE: attribute '", name, "' cannot be ", value_text(value),
      "\n  Attributes are ints, floats, bools, strings, dtypes, tensors, and lists of them.");
}

Kind kind_of_list(const std::string& name, const OpwValue& value);

Kind kind_of(const std::string& name, const OpwValue& value) {
  switch (value.tag) {
    case kOpwInt:
      return Kind::Int;
    case kOpwFloat:
      return Kind::Float;
    case kOpwBool:
      return Kind::Bool;
    case kOpwString:
      return Kind::String;
    case kOpwDtype:
      return Kind::Type;
    case kOpwTensor:
      return Kind::Tensor;
    default:
      return kind_of_list(name, value);
  }
}

Kind kind_of_list(const std::string& name, const OpwValue& value) {
  if (!is_list_tag(value.tag)) refuse(name, value);
  if (value.length == 0) return Kind::ListInt;
  switch (kind_of(name, list_element(value, 0))) {
    case Kind::Int:
      return Kind::ListInt;
    case Kind::Float:
      return Kind::ListFloat;
    case Kind::Bool:
      return Kind::ListBool;
    case Kind::String:
      return Kind::ListString;
    case Kind::Type:
      return Kind::ListType;
    case Kind::Tensor:
      return Kind::ListTensor;
    case Kind::ListInt:
      return Kind::ListListInt;
    case Kind::ListFloat:
      return Kind::ListListFloat;
    default:
      refuse(name, value);
  }
}

// Dtypes as the engine's numbers.
Value with_numbers(const OpwValue& value) {
  if (value.tag == kOpwDtype) return Value(int64_t{data_type_of(ValueOf<DType>::read(value))});
  std::vector<int64_t> numbers;
  for (uint32_t i = 0; i < value.length; ++i)
    numbers.push_back(data_type_of(ValueOf<DType>::read(list_element(value, i))));
  return Value(numbers);
}

// A number as a float, a list of them as a list of floats.
Value with_floats(const OpwValue& value) {
  if (!is_list_tag(value.tag)) return Value(static_cast<double>(value.as_int));
  std::vector<double> numbers;
  for (uint32_t i = 0; i < value.length; ++i)
    numbers.push_back(static_cast<double>(list_element(value, i).as_int));
  return Value(numbers);
}

constexpr int64_t kMostShownElements = 8;

void append_tensor(std::string& out, const Tensor& tensor) {
  out += concatenate(tensor.dtype(), "[");
  for (int64_t i = 0; i < tensor.dim(); ++i) out += concatenate(i > 0 ? ", " : "", tensor.size(i));
  out += ']';
  const bool is_int = tensor.dtype() == DType::Int64;
  if (tensor.numel() > kMostShownElements || (!is_int && tensor.dtype() != DType::Float32)) return;
  const char* separator = " {";
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    out += separator;
    separator = ", ";
    if (is_int) {
      out += concatenate(tensor.data<int64_t>()[i]);
    } else {
      append_float_text(out, tensor.data<float>()[i]);
    }
  }
  out += tensor.numel() == 0 ? " {}" : "}";
}

}  // namespace

bool fits(Kind wanted, Kind given) {
  if (wanted == given) return true;
  switch (wanted) {
    case Kind::Bytes:
      return given == Kind::String;
    case Kind::Int:
    case Kind::Type:
      return given == Kind::Int || given == Kind::Type;
    case Kind::ListType:
      return given == Kind::ListInt;
    default:
      return false;
  }
}

Attribute make_attribute(std::string name, const OpwValue& value, std::optional<Kind> wanted) {
  Kind kind = kind_of(name, value);
  Value held =
      kind == Kind::Type || kind == Kind::ListType ? with_numbers(value) : Value::copy_of(value);
  if (wanted) {
    const bool is_empty = is_list_tag(value.tag) && value.length == 0;
    const bool is_widened = (kind == Kind::Int && *wanted == Kind::Float) ||
                            (kind == Kind::ListInt && *wanted == Kind::ListFloat);
    if (is_widened) held = with_floats(value);
    if (is_widened || fits(*wanted, kind) || (is_empty && *wanted >= Kind::ListInt)) kind = *wanted;
  }
  return {.name = std::move(name), .kind = kind, .value = std::move(held)};
}

void append_text(std::string& out, const Attribute& attribute) {
  out += concatenate(attribute.name, " = ");
  const OpwValue& value = attribute.value.get();
  if (attribute.kind == Kind::Tensor) return append_tensor(out, Tensor::borrow(value.as_tensor));
  if (attribute.kind == Kind::Type) {
    out += data_type_name(static_cast<DataType>(value.as_int));
    return;
  }
  append_value_text(out, value);
}

}  // namespace opwright::graph_engine
