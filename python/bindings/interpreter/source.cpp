#include "bindings/interpreter/source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/lock.h"
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

bool is_package_code(PyCodeObject* code) {
  const nb::object file =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(code), "co_filename"));
  const char* text = file.is_valid() ? PyUnicode_AsUTF8(file.ptr()) : nullptr;
  if (!text) PyErr_Clear();
  const std::string& folder = package_folder();
  return text && !folder.empty() && std::string_view(text).starts_with(folder);
}

// A code object whose lines were looked up. Python finds the line of an instruction in time that is
// proportional to its function's length, and every traced node asks.
struct KnownCode {
  bool is_ours = false;
  const char* file = nullptr;  // interned; null: unknown
  struct Lines {
    int start;  // the offset of the first instruction
    uint32_t line;
  };
  std::vector<Lines> lines;  // by offset; of the user's code only

  [[nodiscard]] SourceSite site_of(int instruction) const {
    const auto after = std::ranges::upper_bound(lines, instruction, {}, &Lines::start);
    return after == lines.begin() || !file ? SourceSite{} : SourceSite{file, (after - 1)->line};
  }
};

KnownCode read_code(PyCodeObject* code) {
  KnownCode known{.is_ours = is_package_code(code), .file = nullptr, .lines = {}};
  if (known.is_ours) return known;
  auto* object = reinterpret_cast<PyObject*>(code);
  known.file = site_of_code(object, 0).file;
  const nb::object spans = nb::steal(PyObject_CallMethod(object, "co_lines", nullptr));
  const nb::object all = nb::steal(spans.is_valid() ? PySequence_List(spans.ptr()) : nullptr);
  if (!all.is_valid()) {
    PyErr_Clear();
    return known;
  }
  for (const nb::handle span : all) {
    PyObject* line = PyTuple_GET_ITEM(span.ptr(), 2);
    if (line == Py_None) continue;  // made by the compiler: the line before goes on
    known.lines.push_back({static_cast<int>(PyLong_AsLong(PyTuple_GET_ITEM(span.ptr(), 0))),
                           static_cast<uint32_t>(PyLong_AsLong(line))});
  }
  return known;
}

// What is known of a frame's code; under the lock. Each entry owns its code, so that the address
// stays taken; when there are many, all are forgotten.
const KnownCode& look_up_source(PyCodeObject* code) {
  constexpr size_t kMostCodes = 4096;
  static auto* codes = new std::unordered_map<PyCodeObject*, KnownCode>;
  if (const auto found = codes->find(code); found != codes->end()) [[likely]]
    return found->second;
  KnownCode known = read_code(code);
  if (package_folder().empty()) {  // the package is being imported: ask again
    static auto* asked = new KnownCode;
    return *asked = std::move(known);
  }
  if (codes->size() >= kMostCodes) {
    std::unordered_map<PyCodeObject*, KnownCode> dropped;
    dropped.swap(*codes);
    for (const auto& [each, lines] : dropped) Py_DECREF(each);
  }
  Py_INCREF(code);
  return codes->emplace(code, std::move(known)).first->second;
}

// Of a thread that runs no Python code, or not now, there is no line.
SourceSite find_user_line() { return holds_lock() ? caller_site() : SourceSite{}; }

}  // namespace

SourceSite caller_site() {
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  SourceSite site;
  while (frame) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const KnownCode& known = look_up_source(code);
    const bool is_ours = known.is_ours;
    site = known.site_of(PyFrame_GetLasti(frame));
    Py_DECREF(code);
    PyFrameObject* back = is_ours ? PyFrame_GetBack(frame) : nullptr;
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
