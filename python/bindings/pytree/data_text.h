// Plain Python data as text that parses back: None, bools, ints, floats, strings, bytes, and
// tuples, lists and dicts of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/text_cursor.h"

namespace opwright::python {

// Anything else is written as ?"its repr", which shows the object but does not parse back.
void append_data(nanobind::handle data, std::string& text);
void append_quoted(std::string_view content, std::string& text);

enum class DataUse : uint8_t {
  Use,    // TypeError for ?"..."
  Check,  // only the form of the text matters; ?"..." reads as None
};
// ValueError with the position. Nothing is looked up or run.
[[nodiscard]] nanobind::object read_data(TextCursor& cursor, DataUse use);
[[nodiscard]] std::string read_quoted(TextCursor& cursor);

}  // namespace opwright::python
