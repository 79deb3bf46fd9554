#include "bridges/onnxruntime/attribute_value.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bridges/onnxruntime/node_attributes.h"
#include "bridges/operators/named_value.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/value.h"

namespace opwright::ort_bridge {
namespace {

using MaybeValue = std::optional<Value>;

// The double of the float32's shortest decimal text.
double widen(float number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number);
  double wide = number;
  std::from_chars(text, end.ptr, wide);
  return wide;
}

// The attributes of a node under one name, read as the requested type.
class AttributeReader {
 public:
  AttributeReader(const NodeAttributes& attributes, const std::string& name)
      : attributes_(attributes), name_(name.c_str()) {}

  [[nodiscard]] MaybeValue read(const ValueType& type) const {
    return type.is_list ? read_list(type.kind) : read_one(type.kind);
  }
  // "an INT", or null if there is none.
  [[nodiscard]] const char* kind_found() const {
    if (find<int64_t>()) return "an INT";
    if (find<float>()) return "a FLOAT";
    if (find<std::string>()) return "a STRING";
    if (has_elements<int64_t>()) return "INTS";
    if (has_elements<float>()) return "FLOATS";
    return find<std::vector<int64_t>>() ? "a list" : nullptr;
  }

 private:
  template <class T>
  [[nodiscard]] std::optional<T> find() const {
    T value{};
    if (!attributes_.read(name_, value)) return std::nullopt;
    return value;
  }

  [[nodiscard]] MaybeValue integer(OpwTag tag) const {
    const auto number = find<int64_t>();
    if (!number) return std::nullopt;
    return Value::take(make_value(tag, *number));
  }
  [[nodiscard]] MaybeValue boolean() const {
    const auto number = find<int64_t>();
    if (!number || (*number != 0 && *number != 1)) return std::nullopt;
    return Value(*number == 1);
  }
  [[nodiscard]] MaybeValue real() const {
    if (const auto number = find<float>()) return Value(widen(*number));
    if (const auto number = find<int64_t>()) return Value(static_cast<double>(*number));
    return std::nullopt;
  }
  [[nodiscard]] MaybeValue read_one(ValueKind kind) const {
    switch (kind) {
      case ValueKind::Int:
        return integer(kOpwInt);
      case ValueKind::SymInt:
        return integer(kOpwSymInt);
      case ValueKind::Bool:
        return boolean();
      case ValueKind::Float:
        return real();
      case ValueKind::Scalar:
        if (MaybeValue number = integer(kOpwInt)) return number;
        return real();
      default:
        return text(kind);
    }
  }
  [[nodiscard]] MaybeValue text(ValueKind kind) const {
    const auto found = find<std::string>();
    if (!found) return std::nullopt;
    const std::optional<OpwValue> value = bridges::value_of_text(kind, *found);
    if (!value) return std::nullopt;
    return Value::copy_of(*value);
  }

  // ONNX Runtime returns an empty list for a list of another kind.
  template <class T>
  [[nodiscard]] bool has_elements() const {
    const auto found = find<std::vector<T>>();
    return found && !found->empty();
  }
  template <class T, class Other>
  [[nodiscard]] std::optional<std::vector<T>> find_list() const {
    auto found = find<std::vector<T>>();
    if (found && found->empty() && has_elements<Other>()) return std::nullopt;
    return found;
  }

  [[nodiscard]] MaybeValue integers(OpwTag tag) const {
    const auto found = find_list<int64_t, float>();
    if (!found) return std::nullopt;
    return Value::take(give_copy<int64_t>(tag, *found));
  }
  [[nodiscard]] MaybeValue booleans() const {
    const auto found = find_list<int64_t, float>();
    if (!found) return std::nullopt;
    std::vector<uint8_t> bytes;
    for (const int64_t each : *found) bytes.push_back(each != 0 ? 1 : 0);
    return Value::take(give_copy<uint8_t>(kOpwBoolList, bytes));
  }
  [[nodiscard]] std::optional<std::vector<double>> find_reals() const {
    std::vector<double> wide;
    if (const auto found = find<std::vector<float>>()) {
      for (const float each : *found) wide.push_back(widen(each));
      if (!wide.empty()) return wide;  // an empty list may be one of INTS
    }
    const auto found = find<std::vector<int64_t>>();
    if (!found) return std::nullopt;
    wide.assign(found->begin(), found->end());
    return wide;
  }
  [[nodiscard]] static MaybeValue list_of(std::span<const OpwValue> elements) {
    OpwValue list{};
    list.tag = kOpwList;
    list.length = static_cast<uint32_t>(elements.size());
    list.as_values = elements.data();
    return Value::copy_of(list);
  }
  [[nodiscard]] MaybeValue numbers() const {
    std::vector<OpwValue> elements;
    if (const auto found = find<std::vector<int64_t>>(); found && !found->empty()) {
      for (const int64_t each : *found) elements.push_back(make_value(kOpwInt, each));
    } else {
      const auto reals = find_reals();
      if (!reals) return std::nullopt;
      for (const double each : *reals) elements.push_back(ValueOf<double>::lend(each));
    }
    return list_of(elements);
  }
  [[nodiscard]] MaybeValue texts(ValueKind kind) const {
    const auto found = find_list<std::string, int64_t>();
    if (!found) return std::nullopt;
    std::vector<OpwValue> elements;
    for (const std::string& each : *found) {
      const std::optional<OpwValue> value = bridges::value_of_text(kind, each);
      if (!value) return std::nullopt;
      elements.push_back(*value);
    }
    return list_of(elements);
  }
  [[nodiscard]] MaybeValue read_list(ValueKind kind) const {
    switch (kind) {
      case ValueKind::Int:
        return integers(kOpwIntList);
      case ValueKind::SymInt:
        return integers(kOpwSymIntList);
      case ValueKind::Bool:
        return booleans();
      case ValueKind::Float: {
        const auto reals = find_reals();
        if (!reals) return std::nullopt;
        return Value::take(give_copy<double>(kOpwFloatList, *reals));
      }
      case ValueKind::Scalar:
        return numbers();
      default:
        return texts(kind);
    }
  }

  const NodeAttributes& attributes_;
  const char* name_;
};

const char* kind_wanted(const ValueType& type) {
  switch (type.kind) {
    case ValueKind::Int:
    case ValueKind::SymInt:
      return type.is_list ? "INTS" : "an INT";
    case ValueKind::Bool:
      return type.is_list ? "INTS of 0 and 1" : "an INT, 0 or 1";
    case ValueKind::Float:
      return type.is_list ? "FLOATS" : "a FLOAT";
    case ValueKind::Scalar:
      return type.is_list ? "INTS or FLOATS" : "an INT or a FLOAT";
    case ValueKind::String:
      return type.is_list ? "STRINGS" : "a STRING";
    case ValueKind::DType:
      return "a STRING with the name of a dtype";
    case ValueKind::Device:
      return "a STRING, 'cpu'";
    default:
      return "a STRING with its name";
  }
}

}  // namespace

bool can_be_attribute(const ValueType& type) {
  switch (type.kind) {
    case ValueKind::Tensor:
    case ValueKind::Complex:
    case ValueKind::Generator:
    case ValueKind::Any:
    case ValueKind::Other:
      return false;
    default:
      return !type.has_optional_elements;
  }
}

std::string name_argument(const OperatorDescription& op, size_t index) {
  return concatenate(op.name, ": argument '", op.arguments[index].name, "'");
}

Value read_attribute(const OperatorDescription& op, size_t index, const std::string& name,
                     const NodeAttributes& attributes) {
  const ArgumentDescription& argument = op.arguments[index];
  const AttributeReader reader(attributes, name);
  if (can_be_attribute(argument.type)) {
    if (MaybeValue value = reader.read(argument.type)) return std::move(*value);
  }
  if (const char* found = reader.kind_found()) {
    throw_error("TypeError", name_argument(op, index), " is of type ", argument.type.text,
                ", so the attribute '", name, "' must be ", kind_wanted(argument.type), ", got ",
                found);
  }
  if (argument.default_value) return Value::copy_of(*argument.default_value);
  OPWRIGHT_CHECK_TYPE(argument.type.is_optional, name_argument(op, index),
                      " is missing: it has no default, so the node needs an attribute '", name,
                      "'");
  return {};
}

}  // namespace opwright::ort_bridge
