#include "bindings/compile/module_snapshot.h"

#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/compile/traced_values.h"
#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "opwright/error.h"
#include "opwright/tensor/tensor_impl.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

nb::object copy_dict(PyObject* dict) {
  return dict && PyDict_Check(dict) ? own(PyDict_Copy(dict)) : nb::object();
}

// The name of the first traced tensor in a dict, or of a list, tuple or dict that holds one.
std::string find_traced(PyObject* dict, const Interpreter& level) {
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  for (Py_ssize_t at = 0; dict && PyDict_Next(dict, &at, &name, &value);) {
    const bool is_found = holds_traced(value, level);
    const char* text = is_found && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
    if (text) return text;
  }
  return "";
}

void put_back(PyObject* dict, const nb::object& before) {
  if (!before.is_valid() || !dict) return;
  PyDict_Clear(dict);
  require_no_error(PyDict_Update(dict, before.ptr()));
}

}  // namespace

ModuleSnapshot::ModuleSnapshot(const std::vector<WatchedModule>& modules) {
  held_.reserve(modules.size());
  for (const WatchedModule& each : modules) {
    const nb::object dict = dict_of(each.module.ptr());
    held_.push_back({each, copy_dict(dict.ptr()),
                     copy_dict(PyDict_GetItemString(dict.ptr(), "_buffers")),
                     copy_dict(PyDict_GetItemString(dict.ptr(), "_parameters"))});
  }
}

void ModuleSnapshot::restore() const {
  for (const Held& each : held_) {
    const nb::object dict = dict_of(each.module.module.ptr());
    put_back(dict.ptr(), each.attributes);
    put_back(PyDict_GetItemString(dict.ptr(), "_buffers"), each.buffers);
    put_back(PyDict_GetItemString(dict.ptr(), "_parameters"), each.parameters);
  }
}

void ModuleSnapshot::refuse_traced(const Interpreter& level) const {
  for (const Held& each : held_) {
    const nb::object dict = dict_of(each.module.module.ptr());
    std::string name;
    for (PyObject* where : {dict.ptr(), PyDict_GetItemString(dict.ptr(), "_buffers")}) {
      if (name.empty()) name = find_traced(where, level);
    }
    if (name.empty()) continue;
    restore();
    throw_error("RuntimeError", "compile: the function assigned a tensor that it computes to '",
                each.module.path, ".", name, "' (", Py_TYPE(each.module.module.ptr())->tp_name,
                "); a compiled function cannot set attributes\n  Return the tensor, or write it "
                "into a buffer in place: ",
                name, ".copy_(value).");
  }
}

}  // namespace opwright::python
