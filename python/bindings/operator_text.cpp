#include "bindings/operator_text.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/operator_object.h"
#include "opwright/dispatch/registry.h"

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

PyObject* module_name(const OperatorName& name) {
  return new_text("opwright.ops." + name.name_space);
}

std::string document(const Operator& op) {
  std::string text = to_text(op.schema());
  const std::string written = documentation_of(operator_object(op.name()));
  if (!written.empty()) text += "\n\n" + written;
  text += concatenate("\n\nDefined at ", op.site());
  if (*op.origin()) text += concatenate(" (", op.origin(), ")");
  return text;
}

std::vector<std::string> list_namespaces() {
  std::vector<std::string> names;
  for (const Operator* op : Registry::get().list()) {
    const std::string& name = op->schema().name.name_space;
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
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
