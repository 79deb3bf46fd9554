#include "bindings/compile/function_state.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <nanobind/nanobind.h>

#include "bindings/compile/compiled_function.h"
#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/size_object.h"
#include "bindings/operator/loaded_names.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// The maximum number of functions that are followed: more than a program's own reach.
constexpr size_t kMostFollowed = 4096;

// Elements of a list or tuple that are inspected.
constexpr Py_ssize_t kMostElements = 256;

std::atomic<uint64_t> clock{1};

PyObject* module_class() {
  static PyObject* found = nullptr;
  if (found) return found;
  const nb::object file = nb::steal(PyImport_GetModule(nb::str("opwright.nn.module").ptr()));
  if (file.is_valid()) found = PyObject_GetAttrString(file.ptr(), "Module");
  PyErr_Clear();
  return found;
}

std::string name_text(PyObject* name) {
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) throw_python_error();
  return text;
}

PyObject* epoch_of(PyObject* dict) { return PyDict_GetItemString(dict, "_attribute_epoch"); }

}  // namespace

bool is_nn_module(PyObject* object) {
  PyObject* wanted = module_class();
  if (!wanted) return false;
  return PyType_IsSubtype(Py_TYPE(object), reinterpret_cast<PyTypeObject*>(wanted)) != 0;
}

bool is_package_globals(PyObject* globals) {
  PyObject* name = PyDict_GetItemString(globals, "__name__");
  const char* text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
  return text &&
         (std::string_view(text) == "opwright" || std::string_view(text).starts_with("opwright."));
}

uint64_t raise_module_clock() noexcept { return clock.fetch_add(1, std::memory_order_relaxed) + 1; }
uint64_t module_clock() noexcept { return clock.load(std::memory_order_relaxed); }

// ---- Collecting ----

void FunctionState::add_place(Place::Kind kind, PyObject* holder, PyObject* key, PyObject* value,
                              const std::string& name, GuardedTensors& tensors) {
  places_.push_back({kind, nb::borrow(holder), key ? nb::borrow(key) : nb::object(),
                     ObjectGuard(value, name, tensors, ObjectGuard::Look::Tuples)});
  follow(value, name, tensors);
}

void FunctionState::add_code(PyObject* code, PyObject* globals, GuardedTensors& tensors) {
  for (const nb::object& name : loaded_globals(code)) {
    PyObject* value = PyDict_GetItemWithError(globals, name.ptr());
    if (!value) {
      PyErr_Clear();
      continue;  // built in, or not defined yet
    }
    if (PyModule_Check(value)) continue;
    add_place(Place::Kind::Item, globals, name.ptr(), value, "global " + name_text(name.ptr()),
              tensors);
  }
}

void FunctionState::add_plain_function(PyObject* function, GuardedTensors& tensors) {
  PyObject* globals = PyFunction_GET_GLOBALS(function);
  if (is_package_globals(globals) || followed_.size() > kMostFollowed) return;
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
  if (PyObject* closure = PyFunction_GET_CLOSURE(function)) {
    const nb::object names =
        own(PyObject_GetAttrString(reinterpret_cast<PyObject*>(code), "co_freevars"));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(closure); ++i) {
      PyObject* cell = PyTuple_GET_ITEM(closure, i);
      PyObject* value = PyCell_GET(cell);
      const std::string name = "closure " + name_text(PyTuple_GET_ITEM(names.ptr(), i));
      if (value) add_place(Place::Kind::Cell, cell, nullptr, value, name, tensors);
    }
  }
  const std::string name = name_text(reinterpret_cast<PyFunctionObject*>(function)->func_name);
  if (PyObject* defaults = PyFunction_GET_DEFAULTS(function)) {
    add_place(Place::Kind::Defaults, function, nullptr, defaults, "the defaults of " + name,
              tensors);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(defaults); ++i)
      follow(PyTuple_GET_ITEM(defaults, i), "a default of " + name, tensors);
  }
  if (PyObject* defaults = PyFunction_GET_KW_DEFAULTS(function)) {
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(defaults, &at, &key, &value);)
      add_place(Place::Kind::Item, defaults, key, value, "default " + name_text(key), tensors);
  }
  add_code(PyFunction_GET_CODE(function), globals, tensors);
}

void FunctionState::add_module(PyObject* module, const std::string& path, GuardedTensors& tensors) {
  const nb::object dict = dict_of(module);
  PyObject* epoch = epoch_of(dict.ptr());
  if (!epoch) return;  // its constructor did not run
  modules_.push_back({nb::borrow(module), nb::borrow(epoch), path});
  const nb::object forward =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(module)), "forward"));
  PyErr_Clear();
  if (forward.is_valid() && PyFunction_Check(forward.ptr()))
    follow(forward.ptr(), path + ".forward", tensors);
  PyObject* children = PyDict_GetItemString(dict.ptr(), "_modules");
  PyObject* name = nullptr;
  PyObject* child = nullptr;
  for (Py_ssize_t at = 0; children && PyDict_Next(children, &at, &name, &child);)
    follow(child, concatenate(path, ".", name_text(name)), tensors);
}

void FunctionState::follow(PyObject* object, const std::string& name, GuardedTensors& tensors) {
  if (PyMethod_Check(object)) {
    follow(PyMethod_GET_FUNCTION(object), name, tensors);
    return follow(PyMethod_GET_SELF(object), name, tensors);
  }
  if (PyObject* function = compiled_target(object)) return follow(function, name, tensors);
  if (PyList_CheckExact(object) || is_plain_tuple(object)) {
    if (!followed_.insert(object).second) return;  // it may hold itself
    const Py_ssize_t count = std::min<Py_ssize_t>(PySequence_Fast_GET_SIZE(object), kMostElements);
    for (Py_ssize_t i = 0; i < count; ++i)
      follow(PySequence_Fast_GET_ITEM(object, i), concatenate(name, "[", i, "]"), tensors);
    return;
  }
  const bool is_function = PyFunction_Check(object);
  if (!is_function && !is_nn_module(object)) return;
  if (!followed_.insert(object).second) return;
  if (is_function) return add_plain_function(object, tensors);
  add_module(object, name, tensors);
}

void FunctionState::watch_module(PyObject* module, const std::string& path) {
  if (!followed_.insert(module).second) return;
  const nb::object dict = dict_of(module);
  PyObject* epoch = epoch_of(dict.ptr());
  if (!epoch) return;
  modules_.push_back({nb::borrow(module), nb::borrow(epoch), path});
  PyObject* children = PyDict_GetItemString(dict.ptr(), "_modules");
  PyObject* name = nullptr;
  PyObject* child = nullptr;
  for (Py_ssize_t at = 0; children && PyDict_Next(children, &at, &name, &child);) {
    if (is_nn_module(child)) watch_module(child, concatenate(path, ".", name_text(name)));
  }
}

bool FunctionState::reads(PyObject* holder, PyObject* key) const {
  return std::ranges::any_of(places_, [&](const Place& place) {
    return place.holder.is(holder) && place.key.ptr() == key;
  });
}

void FunctionState::add_function(PyObject* function, GuardedTensors& tensors) {
  follow(function, "the module", tensors);
}

void FunctionState::add_object(PyObject* object, const std::string& name, GuardedTensors& tensors) {
  follow(object, name, tensors);
}

// ---- Checking ----

PyObject* FunctionState::read(const Place& place) {
  switch (place.kind) {
    case Place::Kind::Cell:
      return PyCell_GET(place.holder.ptr());
    case Place::Kind::Defaults:
      return PyFunction_GET_DEFAULTS(place.holder.ptr());
    default: {
      PyObject* found = PyDict_GetItemWithError(place.holder.ptr(), place.key.ptr());
      if (!found) PyErr_Clear();
      return found;
    }
  }
}

bool FunctionState::are_modules_unchanged() const {
  const uint64_t now = module_clock();
  if (now == checked_clock_) return true;
  for (const WatchedModule& each : modules_) {
    const nb::object dict = nb::steal(PyObject_GetAttrString(each.module.ptr(), "__dict__"));
    if (!dict.is_valid()) {
      PyErr_Clear();
      return false;
    }
    if (epoch_of(dict.ptr()) != each.epoch.ptr()) return false;
  }
  checked_clock_ = now;
  return true;
}

bool FunctionState::check(OpwValue* values) const {
  if (!modules_.empty() && !are_modules_unchanged()) return false;
  for (const Place& place : places_) {
    PyObject* object = read(place);
    if (!object || !place.guard.check(object, values)) return false;
  }
  return true;
}

std::string FunctionState::find_difference(OpwValue* values) const {
  for (const WatchedModule& each : modules_) {
    const nb::object dict = nb::steal(PyObject_GetAttrString(each.module.ptr(), "__dict__"));
    PyErr_Clear();
    if (dict.is_valid() && epoch_of(dict.ptr()) != each.epoch.ptr())
      return concatenate("an attribute of ", each.path, " (", Py_TYPE(each.module.ptr())->tp_name,
                         ") was set");
  }
  for (const Place& place : places_) {
    PyObject* object = read(place);
    if (!object) return place.guard.name() + " no longer exists";
    if (!place.guard.check(object, values)) return place.guard.describe_difference(object);
  }
  return "";
}

std::string FunctionState::text() const {
  std::string text;
  for (const Place& place : places_) {
    const std::string own = place.guard.text();
    if (!own.empty()) text += own + "\n";
  }
  for (const WatchedModule& each : modules_)
    text +=
        concatenate("attributes of ", each.path, " (", Py_TYPE(each.module.ptr())->tp_name, ")\n");
  return text;
}

int FunctionState::traverse(visitproc visit, void* arg) const {
  for (const Place& place : places_) {
    Py_VISIT(place.holder.ptr());
    Py_VISIT(place.key.ptr());
    if (const int stop = place.guard.traverse(visit, arg)) return stop;
  }
  for (const WatchedModule& each : modules_) Py_VISIT(each.module.ptr());
  return 0;
}

}  // namespace opwright::python
