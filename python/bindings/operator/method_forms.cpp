// Methods of Tensor for operators that have no C++ method: the tensor is not their first argument
// (where, polygamma), or they are rare (matrix_exp, orgqr, ormqr, lu).
#include <iterator>
#include <string_view>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/object/method.h"
#include "bindings/object/tensor_slots.h"
#include "bindings/operator/operator_packet.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

PyObject* where_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"condition", "other", nullptr};
    PyObject* condition = nullptr;
    PyObject* other = nullptr;
    parse_arguments(args, kwargs, "OO:where", names, &condition, &other);
    return require(call_packet("aten::where", {condition, self, other}));
  });
}

PyObject* polygamma_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"n", nullptr};
    PyObject* order = nullptr;
    parse_arguments(args, kwargs, "O:polygamma", names, &order);
    return require(call_packet("aten::polygamma", {order, self}));
  });
}

// op(self, *args, **kwargs)
PyObject* call_with_self(std::string_view op, PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    const nb::object first = own(PyTuple_Pack(1, self));
    const nb::object all = own(PySequence_Concat(first.ptr(), args));
    return require(PyObject_Call(packet_object(op), all.ptr(), kwargs));
  });
}
PyObject* matrix_exp_method(PyObject* self, PyObject* /*args*/) {
  return call_packet("aten::linalg_matrix_exp", {self});
}
PyObject* orgqr_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  return call_with_self("aten::orgqr", self, args, kwargs);
}
PyObject* ormqr_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  return call_with_self("aten::ormqr", self, args, kwargs);
}

PyObject* lu_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"pivot", "get_infos", nullptr};
    int pivot = 1;
    int get_infos = 0;
    parse_arguments(args, kwargs, "|pp:lu", names, &pivot, &get_infos);
    nb::dict options;
    options["pivot"] = pivot != 0;
    options["check_errors"] = get_infos == 0;
    const nb::object positional = own(PyTuple_Pack(1, self));
    const nb::object factors = own(
        PyObject_Call(packet_object("aten::linalg_lu_factor_ex"), positional.ptr(), options.ptr()));
    return require(PySequence_GetSlice(factors.ptr(), 0, get_infos ? 3 : 2));
  });
}

const PyMethodDef kMethodForms[] = {
    {"where", as_method(where_method), kKeywords,
     "where($self, condition, other)\n--\n\n"
     "Return the elements of this tensor where condition holds, and those of other elsewhere.\n\n"
     ">>> import opwright as ow\n"
     ">>> x = ow.tensor([1.0, -2.0])\n"
     ">>> x.where(x > 0, 0.0)\n"
     "tensor([1., 0.])\n"},
    {"polygamma", as_method(polygamma_method), kKeywords,
     "polygamma($self, n)\n--\n\n"
     "Return the n-th derivative of the digamma function.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.0]).polygamma(1)\n"
     "tensor([1.6449])\n"},
    {"matrix_exp", as_method(matrix_exp_method), METH_NOARGS,
     "matrix_exp($self, /)\n--\n\n"
     "Return the exponentials of square matrices.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 2).matrix_exp()\n"
     "tensor([[1., 0.],\n"
     "        [0., 1.]])\n"},
    {"orgqr", as_method(orgqr_method), kKeywords,
     "orgqr($self, input2)\n--\n\n"
     "Same as opwright.linalg.householder_product.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([[1.0], [0.0]]).orgqr(ow.tensor([2.0]))\n"
     "tensor([[-1.],\n"
     "        [ 0.]])\n"},
    {"ormqr", as_method(ormqr_method), kKeywords,
     "ormqr($self, input2, input3, left=True, transpose=False)\n--\n\n"
     "Multiply input3 by the product of the reflections whose vectors are in this tensor, and\n"
     "whose scales are in input2.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([[1.0], [0.0]]).ormqr(ow.tensor([2.0]), ow.ones(2, 1))\n"
     "tensor([[-1.],\n"
     "        [ 1.]])\n"},
    {"lu", as_method(lu_method), kKeywords,
     "lu($self, pivot=True, get_infos=False)\n--\n\n"
     "Return the compact LU factors and the row exchanges, as opwright.linalg.lu_factor does;\n"
     "with get_infos also which matrices are singular, instead of raising.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([[2.0, 1.0], [1.0, 3.0]]).lu()[1]\n"
     "tensor([1, 2], dtype=int32)\n"},
};

}  // namespace

void add_method_form_slots(TensorSlots& out) {
  out.methods.insert(out.methods.end(), std::begin(kMethodForms), std::end(kMethodForms));
}

}  // namespace opwright::python
