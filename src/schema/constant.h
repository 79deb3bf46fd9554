// Constants: the default values of a schema. Equality, and the text that the parser reads back.
#pragma once

#include <span>
#include <string>

#include "opwright/schema/type.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// Same tag and same contents. Floats are equal if they print alike: nan equals nan, 0.0 does not
// equal -0.0. Tensors and symbols are equal if they are identical.
[[nodiscard]] OPWRIGHT_EXPORT bool equal_values(const OpwValue& a, const OpwValue& b);
inline bool operator==(const Value& a, const Value& b) { return equal_values(a.get(), b.get()); }

// In schema syntax: 1, 1.0, "text", [1, 2], float32, contiguous_format, None. A value without
// schema syntax (a tensor, an object) is in angle brackets.
void append_value_text(std::string& out, const OpwValue& value);
[[nodiscard]] std::string value_text(const OpwValue& value);

// The shortest decimal text that reads back as the same double, with a point or an exponent: "1.0",
// "1e-05", "inf".
void append_float_text(std::string& out, double number);
// In double quotes, with escapes that the lexer accepts.
void append_quoted(std::string& out, std::string_view text);

// The list value of `tag` that holds the elements; their tags must fit it.
[[nodiscard]] Value pack_list(OpwTag tag, std::span<Value> elements);

// Element `index` of a list of any tag, borrowed from it.
[[nodiscard]] OPWRIGHT_EXPORT OpwValue list_element(const OpwValue& list, uint32_t index) noexcept;
[[nodiscard]] bool is_list_tag(uint32_t tag) noexcept;

}  // namespace opwright
