// Questions about the kind of opwright.Tensor that PyTorch's tensors answer, and its conjugate
// transposes.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include <Python.h>

#include "bindings/object/method.h"
#include "bindings/object/tensor_slots.h"
#include "bindings/object/value.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/dim_order.h"
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

PyObject* is_nonzero(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    const int is_true = PyObject_IsTrue(self);
    require_no_error(is_true);
    return PyBool_FromLong(is_true);
  });
}
PyObject* is_signed(PyObject* self, PyObject* /*args*/) {
  return guarded([&] { return give(nanobind::handle(self).attr("dtype").attr("is_signed")); });
}

// The contract of compare_dims (dim_order.h), with a guard for each answer.
int compare_strides(std::span<const SymInt> sizes, std::span<const SymInt> strides, size_t inner,
                    size_t outer) {
  if (is_known_equal(strides[inner], SymInt(0)) || is_known_equal(strides[outer], SymInt(0)))
    return 0;
  if (is_known_equal(strides[inner], strides[outer]))
    return is_known_less(sizes[outer], sizes[inner]) ? 1 : 0;
  return is_known_less(strides[inner], strides[outer]) ? -1 : 1;
}

// Whether another order of the dimensions describes the same memory.
bool has_several_dim_orders(const SymGeometry& geometry) {
  for (size_t i = 0; i < geometry.sizes.size(); ++i) {
    if (guard_or_false(geometry.sizes[i] == 1)) return true;
    if (i > 0 && guard_or_false(geometry.strides[i] == geometry.strides[i - 1])) return true;
  }
  return false;
}
bool is_in_several_formats(PyObject* self, PyObject* formats) {
  int found = 0;
  const nanobind::object is_contiguous = own(PyObject_GetAttrString(self, "is_contiguous"));
  for (const nanobind::handle format : nanobind::borrow<nanobind::sequence>(formats))
    found += nanobind::cast<bool>(is_contiguous(nanobind::arg("memory_format") = format)) ? 1 : 0;
  return found > 1;
}
PyObject* get_dim_order(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"ambiguity_check", nullptr};
    PyObject* check = Py_False;
    parse_arguments(args, kwargs, "|$O:dim_order", names, &check);
    const SymGeometry geometry = sym_geometry_of(handle_of(self));
    const bool is_ambiguous = PyBool_Check(check)
                                  ? check == Py_True && has_several_dim_orders(geometry)
                                  : is_in_several_formats(self, check);
    OPWRIGHT_CHECK(!is_ambiguous,
                   "dim_order: several orders of the dimensions describe the memory of ",
                   handle_of(self), "; pass ambiguity_check=False for one of them");
    const std::span<const SymInt> sizes = geometry.sizes;
    const std::span<const SymInt> strides = geometry.strides;
    const auto inner_first = order_dims(sizes.size(), [&](size_t inner, size_t outer) {
      return compare_strides(sizes, strides, inner, outer);
    });
    nanobind::list order;
    for (size_t i = inner_first.size(); i-- > 0;) order.append(inner_first[i]);
    return require(PySequence_Tuple(order.ptr()));
  });
}

PyObject* as_subclass(PyObject* self, PyObject* cls) {
  return guarded([&] {
    OPWRIGHT_CHECK_TYPE(
        PyType_Check(cls) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls), tensor_type),
        "as_subclass: expected a subclass of Tensor, got ",
        PyType_Check(cls) ? reinterpret_cast<PyTypeObject*>(cls)->tp_name : class_name(cls));
    return make_instance(reinterpret_cast<PyTypeObject*>(cls), alias(handle_of(self)));
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
    {"is_nonzero", as_method(is_nonzero), METH_NOARGS,
     "is_nonzero($self, /)\n--\n\n"
     "Return whether the only element is not zero.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([0.5]).is_nonzero()\n"
     "True\n"},
    {"is_signed", as_method(is_signed), METH_NOARGS,
     "is_signed($self, /)\n--\n\n"
     "Return whether the dtype has negative numbers.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1, 2]).is_signed(), ow.tensor([True]).is_signed()\n"
     "(True, False)\n"},
    {"dim_order", as_method(get_dim_order), kKeywords,
     "dim_order($self, *, ambiguity_check=False)\n--\n\n"
     "Return the dimensions in the order of memory, outermost first.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3, 4).transpose(1, 2).dim_order()\n"
     "(0, 2, 1)\n\n"
     "With ambiguity_check=True, several orders that describe the memory are an error; with a "
     "list\n"
     "of memory formats, several of these.\n"},
    {"as_subclass", as_method(as_subclass), METH_O,
     "as_subclass($self, cls, /)\n--\n\n"
     "Return this tensor as an instance of a subclass of Tensor: the same memory and history.\n\n"
     ">>> import opwright as ow\n"
     ">>> class Named(ow.Tensor):\n"
     "...     pass\n"
     ">>> type(ow.ones(2).as_subclass(Named)).__name__\n"
     "'Named'\n"},
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
      read_only("is_nested", get_false,
                "False: there are no nested tensors.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2).is_nested\n"
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
