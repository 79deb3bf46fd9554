// Names of what a captured function reads, as they appear in messages.
#pragma once

#include <string>
#include <string_view>

#include <Python.h>

namespace opwright::python {

// The text of a name; "?" if it is no string.
inline std::string observed_text(PyObject* name) {
  const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
  if (!text) PyErr_Clear();
  return text ? text : "?";
}

// "cfg" as an argument, "self.cfg" as an attribute: without "closure " and "global ".
inline std::string observed_path(const std::string& name) {
  for (const std::string_view prefix : {"closure ", "global "}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

}  // namespace opwright::python
