// opwright.Tensor: a raw heap type that owns one count of a tensor, or is owned by it.
//
// A tensor knows its live Python object (TensorImpl::mirror, a borrowed pointer), so `op_(x) is x`
// always. If that object dies before the tensor, a plain one is created again when needed. One with
// attributes, weak references or of a subclass is kept: ownership is reversed, and the tensor owns
// it (kOpwCountHostBit of its count) until it is handed out again or the last C++ handle is
// dropped.
#pragma once

#include <Python.h>

#include "bindings/interpreter/lock.h"
#include "opwright/tensor.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright::python {

struct TensorObject {
  PyObject_HEAD TensorImpl*
      tensor;  // null only while a subclass's instance is being made or cleared
  PyObject* dict;
  PyObject* weakrefs;
};

extern PyTypeObject* tensor_type;
void add_tensor_type(PyObject* module);

PyObject* wrap_new(TensorImpl* tensor) noexcept;
PyObject* wrap_mirrored(TensorImpl* tensor) noexcept;

// The Python object of a tensor; takes over one count. Null with an exception if out of memory.
inline PyObject* wrap(OpwTensor* owned) noexcept {
  TensorImpl& tensor = impl(owned);
  return tensor.mirror ? wrap_mirrored(&tensor) : wrap_new(&tensor);
}
inline PyObject* wrap(Tensor tensor) noexcept { return wrap(tensor.give()); }

// The same for a borrowed tensor: costs no count if the object exists.
inline PyObject* wrap_borrowed(OpwTensor* tensor) {
  TensorImpl& self = impl(tensor);
  if (self.mirror && !(__atomic_load_n(&self.count, __ATOMIC_ACQUIRE) & kOpwCountHostBit))
      [[likely]]
    return Py_NewRef(static_cast<PyObject*>(self.mirror));
  return wrap(retain_tensor(tensor));
}

inline bool is_tensor(PyObject* object) noexcept {
  return Py_TYPE(object) == tensor_type || PyType_IsSubtype(Py_TYPE(object), tensor_type);
}
// Borrowed; `object` is a Tensor.
inline TensorImpl* tensor_of(PyObject* object) noexcept {
  return reinterpret_cast<TensorObject*>(object)->tensor;
}
// A handle of the tensor of `object`; one more count.
inline Tensor handle_of(PyObject* object) { return Tensor::borrow(tensor_of(object)); }

// An instance of `type` (Tensor or a subclass) over `tensor`, which has no Python object yet.
PyObject* make_instance(PyTypeObject* type, Tensor tensor);

}  // namespace opwright::python
