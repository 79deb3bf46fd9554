#include "bindings/pytree/data_text.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/object/method.h"
#include "bindings/object/size_object.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

constexpr int kMostTextLevels = 100;
constexpr size_t kMostDigits = 4000;  // Python itself rejects more

constexpr std::string_view kHexDigits = "0123456789abcdef";

// ---- Writing ----

void append_byte(unsigned char byte, std::string& text) {
  text += "\\x";
  text += kHexDigits[byte >> 4U];
  text += kHexDigits[byte & 15U];
}

// Half of a surrogate pair, which UTF-8 does not allow.
bool is_surrogate(std::string_view text) {
  return text.size() >= 3 && text[0] == '\xed' && static_cast<unsigned char>(text[1]) >= 0xa0;
}

void append_bytes(std::string_view content, std::string& text) {
  text += "b\"";
  for (const char byte : content) append_byte(static_cast<unsigned char>(byte), text);
  text += '"';
}

// Includes halves of surrogate pairs, so that every str has a text.
std::string utf8_of(nb::handle string) {
  const nb::object bytes = own(PyUnicode_AsEncodedString(string.ptr(), "utf-8", "surrogatepass"));
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

void append_items(nb::handle items, std::string& text) {
  size_t count = 0;
  for (const nb::handle item : items) {
    text += count++ == 0 ? "" : ", ";
    append_data(item, text);
  }
  if (count == 1 && PyTuple_Check(items.ptr())) text += ',';
}

void append_dict(nb::handle dict, std::string& text) {
  bool is_first = true;
  text += '{';
  for (const auto [key, value] : nb::borrow<nb::dict>(dict)) {
    text += is_first ? "" : ", ";
    is_first = false;
    append_data(key, text);
    text += ": ";
    append_data(value, text);
  }
  text += '}';
}

void append_number(nb::handle number, std::string& text) {
  text += utf8_of(own(PyObject_Repr(number.ptr())));
}

// ---- Reading ----

int hex_digit(TextCursor& cursor) {
  const size_t found = kHexDigits.find(cursor.peek());
  if (found == std::string_view::npos || cursor.is_at_end()) {
    cursor.fail("expected a hexadecimal digit");
  }
  cursor.next();
  return static_cast<int>(found);
}

class DataReader {
 public:
  DataReader(TextCursor& cursor, DataUse use) : cursor_(cursor), use_(use) {}

  nb::object read(int level = 0) {
    if (level > kMostTextLevels) cursor_.fail("more than ", kMostTextLevels, " levels of data");
    if (cursor_.skip("None")) return nb::none();
    if (cursor_.skip("True")) return nb::bool_(true);
    if (cursor_.skip("False")) return nb::bool_(false);
    if (cursor_.skip("?")) return read_unreadable();
    if (cursor_.skip("b\"")) return read_bytes();
    if (cursor_.peek() == '"') return read_string();
    if (cursor_.skip("(")) return read_tuple(level);
    if (cursor_.skip("[")) return own(PySequence_List(read_items("]", level).ptr()));
    if (cursor_.skip("{")) return read_dict(level);
    return read_number();
  }

 private:
  nb::object read_unreadable() {
    const std::string shown = read_quoted(cursor_);
    OPWRIGHT_CHECK_TYPE(use_ == DataUse::Check, "the structure of the program's call holds ", shown,
                        ", which is not plain data, so a file cannot hold it; use strings, "
                        "numbers and tuples of them instead and export again");
    return nb::none();
  }

  nb::object read_string() {
    const std::string content = read_quoted(cursor_);
    PyObject* string = PyUnicode_DecodeUTF8(content.data(), static_cast<Py_ssize_t>(content.size()),
                                            "surrogatepass");
    if (!string) {
      PyErr_Clear();
      cursor_.fail("a string that is not UTF-8 ends");
    }
    return nb::steal(string);
  }

  nb::object read_bytes() {
    std::string content;
    while (!cursor_.skip("\"")) {
      cursor_.expect("\\x");
      const int high = hex_digit(cursor_);
      content += static_cast<char>(high * 16 + hex_digit(cursor_));
    }
    return nb::bytes(content.data(), content.size());
  }

  nb::object read_items(std::string_view closing, int level) {
    nb::list items;
    while (!cursor_.skip(closing)) {
      items.append(read(level + 1));
      if (cursor_.skip(closing)) break;
      cursor_.expect(",");
      cursor_.skip(" ");
    }
    return items;
  }
  nb::object read_tuple(int level) {
    const nb::object items = read_items(")", level);
    return own(PyList_AsTuple(items.ptr()));
  }

  nb::object read_dict(int level) {
    nb::dict dict;
    while (!cursor_.skip("}")) {
      const nb::object key = read(level + 1);
      cursor_.expect(": ");
      const nb::object value = read(level + 1);
      if (PyObject_SetItem(dict.ptr(), key.ptr(), value.ptr()) < 0) {
        PyErr_Clear();
        cursor_.fail("a key that has no hash");
      }
      if (!cursor_.skip(", ") && cursor_.peek() != '}') cursor_.expect("}");
    }
    return dict;
  }

  // Any int, and floats as repr writes them.
  nb::object read_number() {
    const std::string_view digits = cursor_.take_while([](char character) {
      return (character >= '0' && character <= '9') || character == '-' || character == '+' ||
             character == '.' || (character >= 'a' && character <= 'n');
    });
    if (digits.empty() || digits.size() > kMostDigits) cursor_.fail("expected plain data");
    const nb::object text = own(PyUnicode_FromStringAndSize(digits.data(), std::ssize(digits)));
    PyObject* number = PyLong_FromUnicodeObject(text.ptr(), 10);
    if (!number) {
      PyErr_Clear();
      number = PyFloat_FromString(text.ptr());
    }
    if (!number) {
      PyErr_Clear();
      cursor_.fail("'", digits, "' is not a number");
    }
    return nb::steal(number);
  }

  TextCursor& cursor_;
  DataUse use_;
};

}  // namespace

void append_quoted(std::string_view content, std::string& text) {
  text += '"';
  size_t num_escaped = 0;  // bytes of an escape, from here on
  for (size_t i = 0; i < content.size(); ++i) {
    const auto byte = static_cast<unsigned char>(content[i]);
    if (is_surrogate(content.substr(i))) num_escaped = 3;
    if (byte < ' ' || byte == 127 || num_escaped > 0) {
      append_byte(byte, text);
      num_escaped -= num_escaped > 0 ? 1 : 0;
      continue;
    }
    if (byte == '"' || byte == '\\') text += '\\';
    text += content[i];
  }
  text += '"';
}

std::string read_quoted(TextCursor& cursor) {
  cursor.expect("\"");
  std::string content;
  while (!cursor.skip("\"")) {
    if (cursor.is_at_end()) cursor.fail("expected '\"'");
    if (cursor.skip("\\x")) {
      const int high = hex_digit(cursor);
      content += static_cast<char>(high * 16 + hex_digit(cursor));
      continue;
    }
    if (cursor.skip("\\") && cursor.is_at_end()) cursor.fail("expected '\"'");
    content += cursor.next();
  }
  return content;
}

// NOLINTNEXTLINE(misc-no-recursion): data nests
void append_data(nb::handle data, std::string& text) {
  PyObject* object = data.ptr();
  if (object == Py_None || PyBool_Check(object) || PyLong_CheckExact(object) ||
      PyFloat_CheckExact(object)) {
    append_number(data, text);
  } else if (PyUnicode_CheckExact(object)) {
    append_quoted(utf8_of(data), text);
  } else if (PyBytes_CheckExact(object)) {
    append_bytes({PyBytes_AS_STRING(object), static_cast<size_t>(PyBytes_GET_SIZE(object))}, text);
  } else if (is_plain_tuple(object) || PyList_CheckExact(object)) {
    text += is_plain_tuple(object) ? '(' : '[';
    append_items(data, text);
    text += is_plain_tuple(object) ? ')' : ']';
  } else if (PyDict_CheckExact(object)) {
    append_dict(data, text);
  } else {
    text += '?';
    append_quoted(utf8_of(own(PyObject_Repr(object))), text);
  }
}

nb::object read_data(TextCursor& cursor, DataUse use) { return DataReader(cursor, use).read(); }

}  // namespace opwright::python
