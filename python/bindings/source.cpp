#include "bindings/source.h"

#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

#include "opwright/base/intern.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

SourceSite site_of_code(PyObject* code, int line) {
  const nb::object file = nb::steal(PyObject_GetAttrString(code, "co_filename"));
  const char* text = file.is_valid() ? PyUnicode_AsUTF8(file.ptr()) : nullptr;
  if (!text) {
    PyErr_Clear();
    return {};
  }
  return {intern(text), static_cast<uint32_t>(line)};
}

// The folder of this package, with its last slash; empty while it is being imported.
const std::string& package_folder() {
  static std::string folder;
  if (folder.empty()) {
    PyObject* package = PyImport_GetModule(nb::str("opwright").ptr());
    const nb::object holder = nb::steal(package);
    if (package) {
      const nb::object file = nb::getattr(holder, "__file__", nb::none());
      const char* text = file.is_none() ? nullptr : PyUnicode_AsUTF8(file.ptr());
      if (text) folder.assign(text, std::string_view(text).rfind('/') + 1);
    }
    PyErr_Clear();
  }
  return folder;
}

bool is_of_package(PyCodeObject* code) {
  const nb::object file =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(code), "co_filename"));
  const char* text = file.is_valid() ? PyUnicode_AsUTF8(file.ptr()) : nullptr;
  if (!text) PyErr_Clear();
  const std::string& folder = package_folder();
  return text && !folder.empty() && std::string_view(text).starts_with(folder);
}

}  // namespace

SourceSite caller_site() {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  SourceSite site;
  while (frame) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const bool is_ours = is_of_package(code);
    if (!is_ours)
      site = site_of_code(reinterpret_cast<PyObject*>(code), PyFrame_GetLineNumber(frame));
    Py_DECREF(code);
    PyFrameObject* back = is_ours ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    frame = back;
  }
  return site;
}

SourceSite site_of(PyObject* callable) {
  nb::object each = nb::borrow(callable);
  for (int depth = 0; depth < 16; ++depth) {
    for (const char* inner : {"__wrapped__", "__func__", "func"}) {
      if (PyObject* found = PyObject_GetAttrString(each.ptr(), inner)) {
        each = nb::steal(found);
        break;
      }
      PyErr_Clear();
    }
  }
  nb::object code = nb::getattr(each, "__code__", nb::none());
  if (code.is_none()) {
    const nb::object call = nb::getattr(nb::handle(Py_TYPE(each.ptr())), "__call__", nb::none());
    code = nb::getattr(call, "__code__", nb::none());
  }
  if (code.is_none()) return caller_site();
  const nb::object line = nb::getattr(code, "co_firstlineno", nb::int_(0));
  return site_of_code(code.ptr(), static_cast<int>(PyLong_AsLong(line.ptr())));
}

}  // namespace opwright::python
