// Methods and functions that choose among operators by their arguments, as PyTorch's do: nonzero,
// norm; and methods that replace a tensor by a view of it: unsqueeze_.
#include "bindings/operator/tensor_forms.h"

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/object/method.h"
#include "bindings/object/tensor_slots.h"
#include "bindings/object/value.h"
#include "bindings/operator/operator_packet.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/grad_mode.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/transforms/trace/data_access.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// ---- nonzero ----

PyObject* find_nonzero(PyObject* self, PyObject* as_tuple) {
  const int is_tuple = is_given(as_tuple) ? PyObject_IsTrue(as_tuple) : 0;
  require_no_error(is_tuple);
  if (!is_tuple) return call_packet("aten::nonzero", {self});
  const nb::object indices = own(call_packet("aten::nonzero_numpy", {self}));
  return PySequence_Tuple(indices.ptr());
}

PyObject* nonzero_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"as_tuple", nullptr};
    PyObject* as_tuple = nullptr;
    parse_arguments(args, kwargs, "|$O:nonzero", names, &as_tuple);
    return find_nonzero(self, as_tuple);
  });
}
PyObject* nonzero_function(PyObject* /*module*/, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"input", "as_tuple", nullptr};
    PyObject* input = nullptr;
    PyObject* as_tuple = nullptr;
    parse_arguments(args, kwargs, "O|$O:nonzero", names, &input, &as_tuple);
    return find_nonzero(input, as_tuple);
  });
}

// ---- norm ----

struct NormArguments {
  PyObject* p = nullptr;
  PyObject* dim = nullptr;
  PyObject* keepdim = nullptr;
  PyObject* dtype = nullptr;
};

PyObject* compute_norm(PyObject* self, const NormArguments& given) {
  nb::object order = given.p ? nb::borrow(given.p) : nb::none();
  if (nb::isinstance<nb::str>(order)) {
    OPWRIGHT_CHECK(PyUnicode_CompareWithASCIIString(order.ptr(), "fro") == 0,
                   "norm: p must be a number or 'fro', got '", nb::cast<std::string>(order), "'");
    OPWRIGHT_CHECK(
        !is_given(given.dim) || PyLong_Check(given.dim) || nb::len(nb::handle(given.dim)) <= 2,
        "norm: 'fro' is the norm of a vector or a matrix; dim must name at most 2 "
        "dimensions");
    order = nb::none();
  }
  if (order.is_none()) order = nb::int_(2);
  PyObject* keepdim = given.keepdim ? given.keepdim : Py_False;
  PyObject* dim = is_given(given.dim) ? given.dim : Py_None;
  const nb::object packet = share(packet_object("aten::linalg_vector_norm", PacketUse::Function));
  nb::dict keywords;
  if (is_given(given.dtype)) keywords["dtype"] = nb::borrow(given.dtype);
  const nb::object positional = own(PyTuple_Pack(4, self, order.ptr(), dim, keepdim));
  return PyObject_Call(packet.ptr(), positional.ptr(), keywords.ptr());
}

PyObject* norm_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"p", "dim", "keepdim", "dtype", nullptr};
    NormArguments given;
    parse_arguments(args, kwargs, "|OOOO:norm", names, &given.p, &given.dim, &given.keepdim,
                    &given.dtype);
    return compute_norm(self, given);
  });
}
PyObject* norm_function(PyObject* /*module*/, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"input", "p", "dim", "keepdim", "out", "dtype", nullptr};
    PyObject* input = nullptr;
    PyObject* out = nullptr;
    NormArguments given;
    parse_arguments(args, kwargs, "O|OOOOO:norm", names, &input, &given.p, &given.dim,
                    &given.keepdim, &out, &given.dtype);
    OPWRIGHT_CHECK_TYPE(!is_given(out), "norm: out is not supported; copy the result into it");
    return compute_norm(input, given);
  });
}

// ---- Views in place ----

// The tensor of `object` becomes the one of `view`, which has another object's place then.
void exchange_tensors(PyObject* object, PyObject* view) {
  auto* first = reinterpret_cast<TensorObject*>(object);
  auto* second = reinterpret_cast<TensorObject*>(view);
  std::swap(first->tensor, second->tensor);
  first->tensor->mirror = first;
  second->tensor->mirror = second;
}

// self.<name>_(...): self becomes self.<name>(...).
PyObject* become_view(PyObject* self, const char* name, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    end_trace(concatenate(name, "_() gives a tensor other sizes"));
    const Tensor tensor = handle_of(self);
    OPWRIGHT_CHECK(!thread_state().current, name,
                   "_: the sizes of a tensor cannot change inside a transform; use ", name, "()");
    OPWRIGHT_CHECK(!is_grad_enabled() || !requires_grad(tensor) || !is_leaf(tensor), name,
                   "_: a leaf that requires grad cannot change in place; use ", name, "()");
    const nb::object method = own(PyObject_GetAttrString(self, name));
    const nb::object view = own(PyObject_Call(method.ptr(), args, kwargs));
    exchange_tensors(self, view.ptr());
    return Py_NewRef(self);
  });
}

PyObject* unsqueeze_in_place(PyObject* self, PyObject* args, PyObject* kwargs) {
  return become_view(self, "unsqueeze", args, kwargs);
}
PyObject* squeeze_in_place(PyObject* self, PyObject* args, PyObject* kwargs) {
  return become_view(self, "squeeze", args, kwargs);
}
PyObject* t_in_place(PyObject* self, PyObject* args, PyObject* kwargs) {
  return become_view(self, "t", args, kwargs);
}
PyObject* transpose_in_place(PyObject* self, PyObject* args, PyObject* kwargs) {
  return become_view(self, "transpose", args, kwargs);
}
PyObject* swapdims_in_place(PyObject* self, PyObject* args, PyObject* kwargs) {
  return become_view(self, "swapdims", args, kwargs);
}
PyObject* swapaxes_in_place(PyObject* self, PyObject* args, PyObject* kwargs) {
  return become_view(self, "swapaxes", args, kwargs);
}
PyObject* as_strided_in_place(PyObject* self, PyObject* args, PyObject* kwargs) {
  return become_view(self, "as_strided", args, kwargs);
}

const PyMethodDef kFormMethods[] = {
    {"nonzero", as_method(nonzero_method), kKeywords,
     "nonzero($self, *, as_tuple=False)\n--\n\n"
     "Return the indices of the elements that are not zero: one row for each element, or with\n"
     "as_tuple a tensor for each dimension.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([0, 3, 0, 4]).nonzero()\n"
     "tensor([[1],\n"
     "        [3]])\n"
     ">>> ow.tensor([0, 3, 0, 4]).nonzero(as_tuple=True)\n"
     "(tensor([1, 3]),)\n"},
    {"norm", as_method(norm_method), kKeywords,
     "norm($self, p='fro', dim=None, keepdim=False, dtype=None)\n--\n\n"
     "Return the p-norm of all elements, or along dimensions.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([[3.0, 4.0], [6.0, 8.0]]).norm(dim=1)\n"
     "tensor([ 5., 10.])\n"},
    {"unsqueeze_", as_method(unsqueeze_in_place), kKeywords,
     "unsqueeze_($self, dim)\n--\n\n"
     "Insert a dimension of size 1 into this tensor.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3).unsqueeze_(0).shape\n"
     "(1, 2, 3)\n"},
    {"squeeze_", as_method(squeeze_in_place), kKeywords,
     "squeeze_($self, *dim)\n--\n\n"
     "Remove dimensions of size 1 from this tensor.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(1, 3).squeeze_().shape\n"
     "(3,)\n"},
    {"t_", as_method(t_in_place), kKeywords,
     "t_($self)\n--\n\n"
     "Transpose this tensor of at most two dimensions.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3).t_().shape\n"
     "(3, 2)\n"},
    {"transpose_", as_method(transpose_in_place), kKeywords,
     "transpose_($self, dim0, dim1)\n--\n\n"
     "Swap two dimensions of this tensor.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3).transpose_(0, 1).shape\n"
     "(3, 2)\n"},
    {"swapdims_", as_method(swapdims_in_place), kKeywords,
     "swapdims_($self, dim0, dim1)\n--\n\n"
     "Same as transpose_.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3).swapdims_(0, 1).shape\n"
     "(3, 2)\n"},
    {"swapaxes_", as_method(swapaxes_in_place), kKeywords,
     "swapaxes_($self, axis0, axis1)\n--\n\n"
     "Same as transpose_.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3).swapaxes_(0, 1).shape\n"
     "(3, 2)\n"},
    {"as_strided_", as_method(as_strided_in_place), kKeywords,
     "as_strided_($self, size, stride, storage_offset=None)\n--\n\n"
     "Give this tensor other sizes and strides over its memory.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.arange(6).as_strided_((2,), (3,))\n"
     "tensor([0, 3])\n"},
};

PyMethodDef form_functions[] = {
    {"nonzero", as_method(nonzero_function), kKeywords,
     "nonzero(input, *, as_tuple=False)\n--\n\n"
     "Return the indices of the elements that are not zero: one row for each element, or with\n"
     "as_tuple a tensor for each dimension.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.nonzero(ow.tensor([0, 3, 0, 4]), as_tuple=True)\n"
     "(tensor([1, 3]),)\n"},
    {"norm", as_method(norm_function), kKeywords,
     "norm(input, p='fro', dim=None, keepdim=False, out=None, dtype=None)\n--\n\n"
     "Return the p-norm of all elements, or along dimensions.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.norm(ow.tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1)\n"
     "tensor([ 5., 10.])\n"},
    {}};

}  // namespace

void add_form_slots(TensorSlots& out) {
  out.methods.insert(out.methods.end(), std::begin(kFormMethods), std::end(kFormMethods));
}

PyObject* make_form_function(std::string_view name) {
  for (PyMethodDef& each : form_functions) {
    if (each.ml_name && name == each.ml_name) {
      const nb::object module = nb::str("opwright");
      return require(PyCFunction_NewEx(&each, nullptr, module.ptr()));
    }
  }
  return nullptr;
}

}  // namespace opwright::python
