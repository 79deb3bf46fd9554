#include "bindings/source.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

#include "bindings/lock.h"
#include "opwright/base/intern.h"
#include "opwright/base/user_line.h"

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

// Whose an instruction is, and where it stands; a site is of the user's code only.
struct Owner {
  bool is_ours = false;
  SourceSite site;
};
struct KnownInstruction {
  PyCodeObject* code = nullptr;  // owned, so that the address stays taken
  int instruction = 0;
  Owner owner;
};

// Finding the line of an instruction takes time in proportion to its function's length, and every
// traced node asks. So answers are kept: a few places by hash, each overwritten by the next
// instruction that falls on it; under the lock.
Owner owner_of(PyFrameObject* frame) {
  constexpr size_t kPlaces = 1024;
  static auto* places = new std::array<KnownInstruction, kPlaces>;
  PyCodeObject* code = PyFrame_GetCode(frame);
  const int instruction = PyFrame_GetLasti(frame);
  const size_t hash =
      (reinterpret_cast<uintptr_t>(code) >> 4) * 31 + static_cast<size_t>(instruction >> 1);
  KnownInstruction& place = (*places)[hash % kPlaces];
  if (place.code == code && place.instruction == instruction) [[likely]] {
    Py_DECREF(code);
    return place.owner;
  }
  Owner owner{.is_ours = is_of_package(code), .site = {}};
  if (!owner.is_ours)
    owner.site = site_of_code(reinterpret_cast<PyObject*>(code), PyFrame_GetLineNumber(frame));
  PyCodeObject* dropped = code;
  if (!package_folder().empty()) {  // else the package is being imported: ask again
    dropped = place.code;
    place = {.code = code, .instruction = instruction, .owner = owner};
  }
  Py_XDECREF(dropped);  // last: it may run code that comes here again
  return owner;
}

// Of a thread that runs no Python code, or not now, there is no line.
SourceSite find_user_line() { return holds_lock() ? caller_site() : SourceSite{}; }

}  // namespace

SourceSite caller_site() {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  SourceSite site;
  while (frame) {
    const Owner owner = owner_of(frame);
    site = owner.site;
    PyFrameObject* back = owner.is_ours ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    frame = back;
  }
  return site;
}

void install_user_line_finder() { set_user_line_finder(&find_user_line); }

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
