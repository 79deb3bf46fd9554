// Methods and functions that choose among operators by their arguments, as PyTorch's do: nonzero,
// norm, unique; and methods that replace a tensor by a view of it: unsqueeze_.
#include "bindings/operator/tensor_forms.h"

#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/object/method.h"
#include "bindings/object/tensor_slots.h"
#include "bindings/object/value.h"
#include "bindings/operator/operator_packet.h"
#include "bindings/operator/unique_forms.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/grad_mode.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/trace/data_access.h"
#include "opwright/transforms/trace/fake.h"
#include "opwright/transforms/trace/trace.h"

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

// Whether a value below a wrapper has an object of its own, so that Python code outside of the
// transform may hold it: an argument of the transformed function.
bool is_seen_below(const Tensor& tensor) {
  Tensor value = tensor;
  while (impl(value).is_wrapper()) {
    value = Tensor(static_cast<const WrapperImpl&>(impl(value)).inner);
    if (impl(value).mirror) return true;
  }
  return false;
}

// Whether only this object would show the change: an eager tensor, a fake one, or a value that was
// computed inside the current transform. An argument of its function is the caller's.
bool may_become_view(const Tensor& tensor) {
  Interpreter* current = thread_state().current;
  if (!current) return true;
  if (dynamic_cast<FakeMode*>(current)) return tensor.is_fake();
  if (const auto* trace = dynamic_cast<Trace*>(current)) {
    return trace->owns(tensor.get()) &&
           trace->value_of(tensor.get()).node().kind() != NodeKind::Input;
  }
  return is_wrapper_of(*current, tensor.get()) && !is_seen_below(tensor);
}

// Throws RuntimeError for a tensor of inference mode outside of it, and for a view that may not be
// written.
void check_may_become_view(const Tensor& tensor, const char* name) {
  OPWRIGHT_CHECK((impl(tensor).flags & kOpwFlagInference) == 0 || thread_state().is_inference(),
                 name,
                 "_: the tensor was made in inference mode and is written outside of it; write a "
                 "clone, or write it under inference_mode");
  if (is_grad_enabled() && !thread_state().is_inference())
    check_view_in_place(concatenate(name, "_"), tensor);
}

// The view that the tensor becomes. Its history is that of the tensor also under no_grad, where a
// change of the sizes changes no value; a view that autograd does not see through stays one.
nb::object make_view(PyObject* self, const char* name, PyObject* args, PyObject* kwargs) {
  const nb::object method = own(PyObject_GetAttrString(self, name));
  const Tensor tensor = handle_of(self);
  const ViewRecord* view = find_view(tensor);
  const bool has_history =
      requires_grad(tensor) && !is_leaf(tensor) && !(view && view->is_hidden());
  const AttentionScope grad_on(kAttentionGradOff, !has_history && !is_grad_enabled());
  return own(PyObject_Call(method.ptr(), args, kwargs));
}

// self.<name>_(...): self becomes self.<name>(...).
PyObject* become_view(PyObject* self, const char* name, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    end_trace(concatenate(name, "_() gives a tensor other sizes"));
    const Tensor tensor = handle_of(self);
    OPWRIGHT_CHECK(
        may_become_view(tensor), name,
        "_: the sizes of a tensor from outside of a transform cannot change inside of it; "
        "use ",
        name, "()");
    const bool is_own_leaf = requires_grad(tensor) && is_leaf(tensor);
    OPWRIGHT_CHECK(!is_own_leaf || !is_grad_enabled() || thread_state().is_inference(), name,
                   "_: a leaf that requires grad cannot change in place; use ", name, "()");
    check_may_become_view(tensor, name);
    const nb::object view = make_view(self, name, args, kwargs);
    if (is_own_leaf) {
      set_data(tensor, handle_of(view.ptr()));
    } else {
      exchange_tensors(self, view.ptr());
    }
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
    {"unique", as_method(unique_method), kKeywords,
     "unique($self, sorted=True, return_inverse=False, return_counts=False, dim=None)\n--\n\n"
     "Return the distinct elements in ascending order, or the distinct slices along dim; with\n"
     "return_inverse also the place of each input among them, with return_counts how often each\n"
     "occurs.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1, 3, 1]).unique(return_counts=True)\n"
     "(tensor([1, 3]), tensor([2, 1]))\n"},
    {"unique_consecutive", as_method(unique_consecutive_method), kKeywords,
     "unique_consecutive($self, return_inverse=False, return_counts=False, dim=None)\n--\n\n"
     "Return the elements without those that equal the one before them, or slices along dim;\n"
     "with return_inverse also the place of each input among them, with return_counts how often\n"
     "each occurs.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1, 1, 3, 1]).unique_consecutive()\n"
     "tensor([1, 3, 1])\n"},
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
    {"unique", as_method(unique_function), kKeywords,
     "unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None)\n--\n\n"
     "Return the distinct elements in ascending order, or the distinct slices along dim; with\n"
     "return_inverse also the place of each input among them, with return_counts how often each\n"
     "occurs.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.unique(ow.tensor([1, 3, 1]), return_counts=True)\n"
     "(tensor([1, 3]), tensor([2, 1]))\n"},
    {"unique_consecutive", as_method(unique_consecutive_function), kKeywords,
     "unique_consecutive(input, return_inverse=False, return_counts=False, dim=None)\n--\n\n"
     "Return the elements without those that equal the one before them, or slices along dim;\n"
     "with return_inverse also the place of each input among them, with return_counts how often\n"
     "each occurs.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.unique_consecutive(ow.tensor([1, 1, 3, 1]))\n"
     "tensor([1, 3, 1])\n"},
    {}};

}  // namespace

void add_form_slots(TensorSlots& out) {
  out.methods.insert(out.methods.end(), std::begin(kFormMethods), std::end(kFormMethods));
}

std::vector<std::string_view> form_function_names() {
  std::vector<std::string_view> names;
  for (const PyMethodDef& each : form_functions) {
    if (each.ml_name) names.emplace_back(each.ml_name);
  }
  return names;
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
