// Writes JSON.
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/error.h"
#include "opwright/program/file/utf8.h"
#include "opwright/pt2/container/json.h"
#include "opwright/schema/constant.h"

namespace opwright::pt2 {
namespace {

void append_string(std::string& out, std::string_view text) {
  OPWRIGHT_CHECK_VALUE(is_utf8(text), "save: a name or string of the program is not UTF-8: ", text);
  constexpr std::string_view kDigits = "0123456789abcdef";
  out.push_back('"');
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20) {
      out.append("\\u00").append({kDigits[byte >> 4U], kDigits[byte & 0xfU]});
      continue;
    }
    if (character == '"' || character == '\\') out.push_back('\\');
    out.push_back(character);
  }
  out.push_back('"');
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the value
void append_json(std::string& out, const JsonValue& value) {
  switch (value.kind()) {
    case JsonKind::Null:
      out.append("null");
      return;
    case JsonKind::Bool:
      out.append(value.as_bool() ? "true" : "false");
      return;
    case JsonKind::Int:
      append_text(out, value.as_int());
      return;
    case JsonKind::Float:
      OPWRIGHT_ASSERT(std::isfinite(value.as_float()));
      append_float_text(out, value.as_float());
      return;
    case JsonKind::String:
      append_string(out, value.as_string());
      return;
    case JsonKind::Array: {
      const std::vector<JsonValue>& elements = value.elements();
      out.push_back('[');
      for (size_t i = 0; i < elements.size(); ++i) {
        if (i > 0) out.append(", ");
        append_json(out, elements[i]);
      }
      out.push_back(']');
      return;
    }
    case JsonKind::Object:
      out.push_back('{');
      for (size_t i = 0; i < value.member_count(); ++i) {
        if (i > 0) out.append(", ");
        append_string(out, value.member_name(i));
        out.append(": ");
        append_json(out, value.member(i));
      }
      out.push_back('}');
      return;
  }
}

}  // namespace

std::string to_text(const JsonValue& value) {
  std::string out;
  append_json(out, value);
  return out;
}

}  // namespace opwright::pt2
