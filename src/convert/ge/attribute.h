// Attributes of the engine's ops.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "opwright/value.h"
#include "opwright/vendor/ge_types.h"
#include "opwright/visibility.h"

namespace opwright::graph_engine {

struct Attribute {
  std::string name;
  AttributeKind kind = AttributeKind::Int;
  // An int for Int and Type, a string for String and Bytes, lists of those for lists.
  Value value = {};
};
// The attribute for a value, by its tag: int, float, bool, string, tensor, dtype, or a list of
// these; `wanted` is the expected kind, if known. TypeError for a value that no attribute can hold.
[[nodiscard]] OPWRIGHT_EXPORT Attribute make_attribute(
    std::string name, const OpwValue& value, std::optional<AttributeKind> wanted = std::nullopt);
// Whether one kind of attribute is accepted where another is wanted: both are written alike.
[[nodiscard]] bool fits(AttributeKind wanted, AttributeKind given);
// "alpha = 1.0"; for tensors dtype and sizes, and the elements of small ones.
void append_text(std::string& out, const Attribute& attribute);

}  // namespace opwright::graph_engine
