// Methods of opwright.Tensor that call a Python function for each element: apply_, map_, map2_.
#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/object/method.h"
#include "bindings/object/tensor_slots.h"
#include "bindings/object/value.h"
#include "opwright/autograd/history.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

void check_elements(const char* who, PyObject* self) {
  const LentTensor tensor(self);
  OPWRIGHT_CHECK_TYPE(tensor->device().type == kOpwDeviceCpu, who,
                      ": it calls a Python function for each element of a tensor on the CPU, got ",
                      *tensor);
  OPWRIGHT_CHECK(!requires_grad(*tensor), who,
                 ": a Python function has no gradient, and the tensor requires grad; use detach()");
}

// self[...] = function(self[...], others[0][...], ...), element by element.
PyObject* map_elements(const char* who, PyObject* self, std::initializer_list<PyObject*> others,
                       PyObject* function) {
  OPWRIGHT_CHECK_TYPE(PyCallable_Check(function), who, ": expected a function, got ",
                      class_name(function));
  check_elements(who, self);
  const nb::handle tensor(self);
  std::vector<nb::object> lists;
  lists.push_back(tensor.attr("reshape")(-1).attr("tolist")());
  for (PyObject* other : others) {
    OPWRIGHT_CHECK_TYPE(is_tensor(other), who, ": expected a Tensor, got ", class_name(other));
    check_elements(who, other);
    lists.push_back(
        nb::handle(other).attr("expand_as")(tensor).attr("reshape")(-1).attr("tolist")());
  }
  nb::list results;
  for (size_t i = 0, count = nb::len(lists[0]); i < count; ++i) {
    nb::list arguments;
    for (const nb::object& list : lists) arguments.append(list[i]);
    const nb::object tuple = own(PySequence_Tuple(arguments.ptr()));
    results.append(own(PyObject_CallObject(function, tuple.ptr())));
  }
  const nb::object made = nb::module_::import_("opwright")
                              .attr("tensor")(results, nb::arg("dtype") = tensor.attr("dtype"));
  tensor.attr("copy_")(made.attr("reshape")(tensor.attr("shape")));
  return Py_NewRef(self);
}

PyObject* apply_in_place(PyObject* self, PyObject* function) {
  return guarded([&] { return map_elements("apply_", self, {}, function); });
}
PyObject* map_in_place(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"tensor", "callable", nullptr};
    PyObject* other = nullptr;
    PyObject* function = nullptr;
    parse_arguments(args, kwargs, "OO:map_", names, &other, &function);
    return map_elements("map_", self, {other}, function);
  });
}
PyObject* map2_in_place(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"x", "y", "callable", nullptr};
    PyObject* first = nullptr;
    PyObject* second = nullptr;
    PyObject* function = nullptr;
    parse_arguments(args, kwargs, "OOO:map2_", names, &first, &second, &function);
    return map_elements("map2_", self, {first, second}, function);
  });
}

const PyMethodDef kElementMethods[] = {
    {"apply_", as_method(apply_in_place), METH_O,
     "apply_($self, callable, /)\n--\n\n"
     "Replace each element by what the function returns for it. Slow: one call of Python for "
     "each.\n"
     "\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.0, 2.0]).apply_(lambda x: x * 10)\n"
     "tensor([10., 20.])\n"},
    {"map_", as_method(map_in_place), kKeywords,
     "map_($self, tensor, callable)\n--\n\n"
     "Replace each element by what the function returns for it and that of another tensor.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.0, 2.0]).map_(ow.tensor([3.0, 4.0]), lambda x, y: x * y)\n"
     "tensor([3., 8.])\n"},
    {"map2_", as_method(map2_in_place), kKeywords,
     "map2_($self, x, y, callable)\n--\n\n"
     "Replace each element by what the function returns for it and those of two other tensors.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.0]).map2_(ow.tensor([3.0]), ow.tensor([4.0]), lambda x, y, z: x + y * z)\n"
     "tensor([13.])\n"},
};

}  // namespace

void add_element_slots(TensorSlots& out) {
  out.methods.insert(out.methods.end(), std::begin(kElementMethods), std::end(kElementMethods));
}

}  // namespace opwright::python
