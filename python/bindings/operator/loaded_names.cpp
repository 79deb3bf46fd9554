#include "bindings/operator/loaded_names.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// Opcodes, which differ between versions of Python.
struct Opcodes {
  long load_global;
  long extended_arg;

  static const Opcodes& get() {
    static const Opcodes opcodes = [] {
      const nb::object all = nb::module_::import_("opcode").attr("opmap");
      return Opcodes{nb::cast<long>(all["LOAD_GLOBAL"]), nb::cast<long>(all["EXTENDED_ARG"])};
    }();
    return opcodes;
  }
};

void add_globals(PyObject* code, std::vector<nb::object>& names) {
  const Opcodes& opcodes = Opcodes::get();
  const nb::object bytes = own(PyObject_GetAttrString(code, "co_code"));
  const nb::object known = own(PyObject_GetAttrString(code, "co_names"));
  const auto* units = reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(bytes.ptr()));
  const auto count = static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr()));
  uint32_t extended = 0;
  for (size_t i = 0; i + 1 < count; i += 2) {
    const uint32_t argument = extended << 8 | units[i + 1];
    extended = units[i] == opcodes.extended_arg ? argument : 0;
    if (units[i] != opcodes.load_global) continue;
    PyObject* name = PyTuple_GetItem(known.ptr(), static_cast<Py_ssize_t>(argument >> 1));
    if (!name) throw_python_error();
    const auto is_name = [&](const nb::object& each) { return each.is(name); };
    if (std::ranges::none_of(names, is_name)) names.push_back(nb::borrow(name));
  }
  const nb::object constants = own(PyObject_GetAttrString(code, "co_consts"));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants.ptr()); ++i) {
    PyObject* inner = PyTuple_GET_ITEM(constants.ptr(), i);
    if (PyCode_Check(inner)) add_globals(inner, names);
  }
}

}  // namespace

std::vector<nb::object> loaded_globals(PyObject* code) {
  std::vector<nb::object> names;
  add_globals(code, names);
  return names;
}

}  // namespace opwright::python
