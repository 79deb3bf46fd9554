#include "bindings/object/numpy_objects.h"

#include "bindings/object/method.h"

namespace opwright::python {
namespace {

// Set once, under the GIL, and kept permanently.
struct Classes {
  PyObject* module = nullptr;
  PyObject* array = nullptr;
  PyObject* number = nullptr;
  PyObject* boolean = nullptr;
};
Classes numpy_classes;

void keep(PyObject* module) {
  nanobind::object array = own(PyObject_GetAttrString(module, "ndarray"));
  nanobind::object number = own(PyObject_GetAttrString(module, "number"));
  nanobind::object boolean = own(PyObject_GetAttrString(module, "bool_"));
  numpy_classes = {.module = Py_NewRef(module),
                   .array = give(array),
                   .number = give(number),
                   .boolean = give(boolean)};
}

// Whether NumPy is imported. A partially imported module does not count.
bool find_numpy() {
  if (numpy_classes.module) return true;
  PyObject* module = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  if (!module || !PyObject_HasAttrString(module, "ndarray") ||
      !PyObject_HasAttrString(module, "bool_")) {
    return false;
  }
  keep(module);
  return true;
}

bool is_instance(PyObject* object, PyObject* python_class) noexcept {
  return PyType_IsSubtype(Py_TYPE(object), reinterpret_cast<PyTypeObject*>(python_class)) != 0;
}

}  // namespace

bool is_numpy_array(PyObject* object) {
  return find_numpy() && is_instance(object, numpy_classes.array);
}

bool is_numpy_number(PyObject* object) {
  return find_numpy() &&
         (is_instance(object, numpy_classes.number) || is_instance(object, numpy_classes.boolean));
}

PyObject* import_numpy() {
  if (!numpy_classes.module) keep(own(PyImport_ImportModule("numpy")).ptr());
  return numpy_classes.module;
}

}  // namespace opwright::python
