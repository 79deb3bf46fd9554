#include "bindings/interpreter/python_type.h"

#include <cstring>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"

namespace nb = nanobind;

namespace opwright::python {

PyObject* new_text(const std::string& text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

PyObject* new_list(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) list.append(text);
  return list.release().ptr();
}

PyObject* module_function(const char* name) {
  return nb::object(nb::module_::import_("opwright._C").attr(name)).release().ptr();
}

PyTypeObject* add_type(PyObject* module, PyType_Spec& spec) {
  PyObject* type = require(PyType_FromSpec(&spec));
  require_no_error(PyModule_AddObjectRef(module, std::strrchr(spec.name, '.') + 1, type));
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace opwright::python
