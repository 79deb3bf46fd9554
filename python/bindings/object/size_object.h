// opwright.Size: the sizes of a tensor, a tuple with numel().
#pragma once

#include <Python.h>

namespace opwright::python {

extern PyTypeObject* size_type;
void add_size_type(PyObject* module);

// A Size of `length` elements, to be filled with PyTuple_SET_ITEM; null with the exception.
inline PyObject* new_size(Py_ssize_t length) noexcept {
  return size_type->tp_alloc(size_type, length);
}

// Whether the object is a tuple without fields or attributes of its own: a tuple or a Size.
inline bool is_plain_tuple(PyObject* object) noexcept {
  return PyTuple_CheckExact(object) || Py_TYPE(object) == size_type;
}

}  // namespace opwright::python
