// Attributes of the engine's ops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "opwright/value.h"

namespace opwright::graph_engine {

enum class AttributeKind : uint8_t {
  Int,
  Float,
  Bool,
  String,
  Bytes,
  Type,  // a DataType, by the engine's number
  Tensor,
  ListInt,
  ListFloat,
  ListBool,
  ListString,
  ListType,
  ListTensor,
  ListListInt,
  ListListFloat,
};
// As prototypes write it: "ListInt".
[[nodiscard]] const char* kind_name(AttributeKind kind);
[[nodiscard]] std::optional<AttributeKind> find_kind(std::string_view name);

struct Attribute {
  std::string name;
  AttributeKind kind = AttributeKind::Int;
  // An int for Int and Type, a string for String and Bytes, lists of those for lists.
  Value value = {};
};
// The attribute of a plain value by its tag: int, float, bool, string, tensor, dtype, list of such.
// An empty list takes the kind that is wanted. TypeError for a value that no attribute can hold.
[[nodiscard]] Attribute make_attribute(std::string name, const OpwValue& value,
                                       std::optional<AttributeKind> wanted = std::nullopt);
// Whether a value can be of that kind.
[[nodiscard]] bool fits(AttributeKind kind, const OpwValue& value);

}  // namespace opwright::graph_engine
