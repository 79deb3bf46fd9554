// Questions about the kind of opwright.Tensor that PyTorch's tensors answer, and its conjugate
// transposes.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <Python.h>

#include "bindings/object/method.h"
#include "bindings/object/tensor_slots.h"
#include "bindings/object/value.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright::python {
namespace {

Tensor require_tensor(PyObject* object, const char* who) {
  OPWRIGHT_CHECK_TYPE(is_tensor(object), who, ": expected a Tensor, got ", class_name(object));
  return handle_of(object);
}

PyObject* is_set_to(PyObject* self, PyObject* other) {
  return guarded([&] {
    const Tensor first = handle_of(self);
    const Tensor second = require_tensor(other, "is_set_to");
    const SymGeometry a = sym_geometry_of(first);
    const SymGeometry b = sym_geometry_of(second);
    const auto equal = [](const SymSizes& x, const SymSizes& y) {
      return std::ranges::equal(
          x, y, [](const SymInt& m, const SymInt& n) { return m.word() == n.word(); });
    };
    return PyBool_FromLong(impl(first).storage == impl(second).storage && equal(a.sizes, b.sizes) &&
                           equal(a.strides, b.strides) && a.offset.word() == b.offset.word());
  });
}

PyObject* is_same_size(PyObject* self, PyObject* other) {
  return guarded([&] {
    const Tensor second = require_tensor(other, "is_same_size");
    return PyBool_FromLong(has_sizes(handle_of(self), sym_geometry_of(second).sizes));
  });
}

// Tensors are strided, and a conjugate or a negation is computed at once.
PyObject* get_false(PyObject* /*self*/, void* /*closure*/) { return Py_NewRef(Py_False); }
PyObject* return_false(PyObject* /*self*/, PyObject* /*args*/) { return Py_NewRef(Py_False); }
PyObject* return_self(PyObject* self, PyObject* /*args*/) { return Py_NewRef(self); }

PyObject* get_device_index(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    const Device device = LentTensor(self)->device();
    return PyLong_FromLong(device.type == kOpwDeviceCpu ? -1 : device.index);
  });
}

PyObject* get_adjoint(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const Tensor tensor = handle_of(self);
    OPWRIGHT_CHECK(tensor.dim() >= 2,
                   "mH: it is only supported on matrices, which have at least 2 dimensions, got ",
                   tensor);
    return require(wrap(adjoint(tensor)));
  });
}
PyObject* get_matrix_adjoint(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const Tensor tensor = handle_of(self);
    OPWRIGHT_CHECK(tensor.dim() == 2 || tensor.dim() == 0,
                   "H: it is only supported on matrices, which have 2 dimensions, got ", tensor);
    return require(wrap(adjoint(tensor)));
  });
}

PyObject* get_real(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const Tensor tensor = handle_of(self);
    return is_complex(tensor.dtype()) ? require(wrap(real(tensor))) : Py_NewRef(self);
  });
}
PyObject* get_imag(PyObject* self, void* /*closure*/) {
  return guarded([&] { return require(wrap(imag(handle_of(self)))); });
}

// x.real = value writes to the parts of x.
int set_part(PyObject* value, Tensor part, const char* who) {
  OPWRIGHT_CHECK_TYPE(value && (is_tensor(value) || PyNumber_Check(value)), who,
                      ": it can be set to a tensor or a number, got ",
                      value ? class_name(value) : "nothing");
  const nanobind::object view = own(wrap(std::move(part)));
  require_no_error(PyObject_SetItem(view.ptr(), Py_Ellipsis, value));
  return 0;
}
int set_real(PyObject* self, PyObject* value, void* /*closure*/) {
  return guarded([&] { return set_part(value, real(handle_of(self)), "real"); }, -1);
}
int set_imag(PyObject* self, PyObject* value, void* /*closure*/) {
  return guarded([&] { return set_part(value, imag(handle_of(self)), "imag"); }, -1);
}

const PyMethodDef kKindMethods[] = {
    {"is_set_to", as_method(is_set_to), METH_O,
     "is_set_to($self, tensor, /)\n--\n\n"
     "Return whether both tensors show the same memory with the same sizes and strides.\n\n"
     ">>> import opwright as ow\n"
     ">>> x = ow.zeros(2, 3)\n"
     ">>> x.is_set_to(x.view(2, 3)), x.is_set_to(x.view(6))\n"
     "(True, False)\n"},
    {"is_same_size", as_method(is_same_size), METH_O,
     "is_same_size($self, other, /)\n--\n\n"
     "Return whether both tensors have the same sizes.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3).is_same_size(ow.ones(2, 3))\n"
     "True\n"},
    {"is_conj", as_method(return_false), METH_NOARGS,
     "is_conj($self, /)\n--\n\n"
     "Return False: a conjugate is computed at once.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1j]).conj().is_conj()\n"
     "False\n"},
    {"is_neg", as_method(return_false), METH_NOARGS,
     "is_neg($self, /)\n--\n\n"
     "Return False: a negation is computed at once.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.0]).neg().is_neg()\n"
     "False\n"},
    {"resolve_conj", as_method(return_self), METH_NOARGS,
     "resolve_conj($self, /)\n--\n\n"
     "Return the tensor itself: a conjugate is computed at once.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1j]).conj().resolve_conj()\n"
     "tensor([0.-1.j], dtype=complex64)\n"},
    {"resolve_neg", as_method(return_self), METH_NOARGS,
     "resolve_neg($self, /)\n--\n\n"
     "Return the tensor itself: a negation is computed at once.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.0]).neg().resolve_neg()\n"
     "tensor([-1.])\n"},
    {"get_device", as_method(get_device_index), METH_NOARGS,
     "get_device($self, /)\n--\n\n"
     "Return the index of the device; -1 for the CPU.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2).get_device()\n"
     "-1\n"},
};

}  // namespace

void add_kind_slots(TensorSlots& out) {
  out.methods.insert(out.methods.end(), std::begin(kKindMethods), std::end(kKindMethods));
  const PyGetSetDef properties[] = {
      {"real", get_real, set_real,
       "The real parts, a view of a complex tensor.\n\n"
       ">>> import opwright as ow\n"
       ">>> ow.tensor([1 + 2j, 3 - 4j]).real\n"
       "tensor([1., 3.])\n",
       nullptr},
      {"imag", get_imag, set_imag,
       "The imaginary parts, a view of a complex tensor.\n\n"
       ">>> import opwright as ow\n"
       ">>> ow.tensor([1 + 2j, 3 - 4j]).imag\n"
       "tensor([ 2., -4.])\n",
       nullptr},
      read_only("H", get_matrix_adjoint,
                "The conjugate transpose of a matrix.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2, 3).H.shape\n"
                "(3, 2)\n"),
      read_only("mH", get_adjoint,
                "The tensor with its last two dimensions swapped, conjugated.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2, 3, 4).mH.shape\n"
                "(2, 4, 3)\n"),
      read_only("is_sparse", get_false,
                "False: all tensors are strided.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2).is_sparse\n"
                "False\n"),
      read_only("is_quantized", get_false,
                "False: there are no quantized dtypes.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2).is_quantized\n"
                "False\n"),
  };
  out.properties.insert(out.properties.end(), std::begin(properties), std::end(properties));
}

}  // namespace opwright::python
