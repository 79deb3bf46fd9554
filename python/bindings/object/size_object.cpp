#include "bindings/object/size_object.h"

#include "bindings/interpreter/python_type.h"
#include "bindings/object/method.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/value.h"

namespace opwright::python {

PyTypeObject* size_type = nullptr;

namespace {

// A Size with the elements of a new tuple, which it takes over.
PyObject* to_size(PyObject* tuple) noexcept {
  if (!tuple || !PyTuple_CheckExact(tuple)) return tuple;
  const Py_ssize_t length = PyTuple_GET_SIZE(tuple);
  PyObject* size = new_size(length);
  for (Py_ssize_t i = 0; size && i < length; ++i)
    PyTuple_SET_ITEM(size, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
  Py_DECREF(tuple);
  return size;
}

PyObject* construct_size(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    nanobind::object size = own(PyTuple_Type.tp_new(type, args, kwargs));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(size.ptr()); ++i) {
      PyObject* element = PyTuple_GET_ITEM(size.ptr(), i);
      if (PyLong_CheckExact(element) || is_sym_int(element)) continue;
      OPWRIGHT_CHECK_TYPE(PyIndex_Check(element), "Size: its elements must be ints, but element ",
                          i, " is ", class_name(element));
      PyTuple_SET_ITEM(size.ptr(), i, give(own(PyNumber_Index(element))));
      Py_DECREF(element);
    }
    return give(std::move(size));
  });
}

PyObject* count_elements(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    nanobind::object product = own(PyLong_FromLong(1));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i)
      product = own(PyNumber_Multiply(product.ptr(), PyTuple_GET_ITEM(self, i)));
    return give(std::move(product));
  });
}

PyObject* reduce_size(PyObject* self, PyObject* /*args*/) {
  PyObject* elements = PyTuple_GetSlice(self, 0, PyTuple_GET_SIZE(self));
  if (!elements) return nullptr;
  return Py_BuildValue("O(N)", reinterpret_cast<PyObject*>(size_type), elements);
}

PyObject* subscript_size(PyObject* self, PyObject* key) {
  return to_size(PyTuple_Type.tp_as_mapping->mp_subscript(self, key));
}
PyObject* concatenate_sizes(PyObject* self, PyObject* other) {
  return to_size(PyTuple_Type.tp_as_sequence->sq_concat(self, other));
}
PyObject* repeat_size(PyObject* self, Py_ssize_t count) {
  return to_size(PyTuple_Type.tp_as_sequence->sq_repeat(self, count));
}

PyMethodDef size_methods[] = {{"numel", as_method(count_elements), METH_NOARGS,
                               "numel($self, /)\n--\n\n"
                               "Return the number of elements of a tensor with these sizes.\n\n"
                               ">>> import opwright as ow\n"
                               ">>> ow.zeros(2, 3).shape.numel()\n"
                               "6\n"},
                              {"__reduce__", as_method(reduce_size), METH_NOARGS, nullptr},
                              {}};
constexpr char kSizeDoc[] =
    "The sizes of a tensor: a tuple of ints.\n\n"
    ">>> import opwright as ow\n"
    ">>> ow.zeros(2, 3).shape == ow.Size([2, 3]) == (2, 3)\n"
    "True\n";
PyType_Slot size_slots[] = {{Py_tp_doc, const_cast<char*>(kSizeDoc)},
                            {Py_tp_new, as_slot(construct_size)},
                            {Py_tp_methods, size_methods},
                            {Py_mp_subscript, as_slot(subscript_size)},
                            {Py_sq_concat, as_slot(concatenate_sizes)},
                            {Py_sq_repeat, as_slot(repeat_size)},
                            {Py_tp_base, &PyTuple_Type},
                            {0, nullptr}};
PyType_Spec size_spec = {"opwright.Size", 0, 0, Py_TPFLAGS_DEFAULT, size_slots};

}  // namespace

void add_size_type(PyObject* module) { size_type = add_type(module, size_spec); }

}  // namespace opwright::python
