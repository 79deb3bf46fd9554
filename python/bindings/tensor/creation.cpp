#include "bindings/tensor/creation.h"

#include <optional>
#include <utility>

#include <nanobind/nanobind.h>

#include "bindings/object/element.h"
#include "bindings/object/fake_mode.h"
#include "bindings/object/foreign_memory.h"
#include "bindings/object/method.h"
#include "bindings/object/numpy_objects.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/tensor_pickle.h"
#include "bindings/object/value.h"
#include "bindings/tensor/nested_data.h"
#include "opwright/autograd/history.h"
#include "opwright/transforms/mode/default_device.h"

namespace opwright::python {
namespace {

PyObject* wrap_with_grad(Tensor tensor, bool requires_grad) {
  if (requires_grad) set_requires_grad(tensor, true);
  return require(wrap(std::move(tensor)));
}

// The arguments of a function that creates a tensor: without a device, the one of a `with` block.
Conversion read_creation(PyObject* dtype, PyObject* device) {
  Conversion conversion = read_conversion(dtype, device);
  if (!conversion.device) conversion.device = default_device();
  return conversion;
}

PyObject* make_tensor(PyObject* /*module*/, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"data", "dtype", "device", "requires_grad", nullptr};
    PyObject* data = nullptr;
    PyObject* dtype = nullptr;
    PyObject* device = nullptr;
    int requires_grad = 0;
    parse_arguments(args, kwargs, "O|$OOp:tensor", names, &data, &dtype, &device, &requires_grad);
    if (PyObject* symbolic = make_symbolic_tensor(data, args, kwargs)) return symbolic;
    return wrap_with_grad(tensor_of_data(data, read_creation(dtype, device), "tensor"),
                          requires_grad != 0);
  });
}

PyObject* as_tensor(PyObject* /*module*/, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"data", "dtype", "device", nullptr};
    PyObject* data = nullptr;
    PyObject* dtype = nullptr;
    PyObject* device = nullptr;
    parse_arguments(args, kwargs, "O|OO:as_tensor", names, &data, &dtype, &device);
    return require(wrap(tensor_over_data(data, read_creation(dtype, device), "as_tensor")));
  });
}

PyObject* asarray(PyObject* /*module*/, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"obj", "dtype", "device", "copy", "requires_grad", nullptr};
    PyObject* object = nullptr;
    PyObject* dtype = nullptr;
    PyObject* device = nullptr;
    PyObject* copy = nullptr;
    int requires_grad = 0;
    parse_arguments(args, kwargs, "O|$OOOp:asarray", names, &object, &dtype, &device, &copy,
                    &requires_grad);
    const Conversion conversion = read_creation(dtype, device);
    const int wants_copy = is_given(copy) ? PyObject_IsTrue(copy) : 0;
    require_no_error(wants_copy);
    if (wants_copy)
      return wrap_with_grad(tensor_of_data(object, conversion, "asarray"), requires_grad != 0);
    if (is_given(copy)) {  // copy=False
      const std::optional<Tensor> shared =
          is_tensor(object) ? handle_of(object) : tensor_over_object(object, "asarray");
      OPWRIGHT_CHECK_VALUE(shared && is_converted(*shared, conversion), "asarray: a tensor of ",
                           class_name(object), " needs a copy here, which copy=False forbids");
      return wrap_with_grad(*shared, requires_grad != 0);
    }
    return wrap_with_grad(tensor_over_data(object, conversion, "asarray"), requires_grad != 0);
  });
}

PyObject* from_numpy(PyObject* /*module*/, PyObject* array) {
  return guarded([&] {
    OPWRIGHT_CHECK_TYPE(is_numpy_array(array), "from_numpy: expected a numpy.ndarray, got ",
                        class_name(array));
    return require(wrap(tensor_over_buffer(array, "from_numpy")));
  });
}

PyObject* from_dlpack_object(PyObject* /*module*/, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"", "device", "copy", nullptr};
    PyObject* object = nullptr;
    PyObject* device = nullptr;
    PyObject* copy = nullptr;
    parse_arguments(args, kwargs, "O|$OO:from_dlpack", names, &object, &device, &copy);
    Conversion conversion = read_conversion(nullptr, device);
    const int copies = is_given(copy) ? PyObject_IsTrue(copy) : 0;
    require_no_error(copies);
    conversion.copy = copies == 1;
    const Tensor shared = tensor_over_dlpack(object);
    OPWRIGHT_CHECK_VALUE(!is_given(copy) || conversion.copy || is_converted(shared, conversion),
                         "from_dlpack: memory on ", shared.device(),
                         " needs a copy for another device, which copy=False forbids");
    return require(wrap(convert(shared, conversion)));
  });
}

PyObject* from_buffer(PyObject* /*module*/, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"buffer", "dtype",         "count",
                                        "offset", "requires_grad", nullptr};
    PyObject* buffer = nullptr;
    PyObject* dtype = nullptr;
    long long count = -1;
    long long offset = 0;
    int requires_grad = 0;
    parse_arguments(args, kwargs, "OO|LL$p:frombuffer", names, &buffer, &dtype, &count, &offset,
                    &requires_grad);
    return wrap_with_grad(
        adopt(tensor_over_bytes(buffer, parse_dtype(dtype), count, offset, "frombuffer")),
        requires_grad != 0);
  });
}

PyObject* is_tensor_object(PyObject* /*module*/, PyObject* object) {
  return PyBool_FromLong(is_tensor(object) ? 1 : 0);
}

PyMethodDef creation_functions[] = {
    {"tensor", as_method(make_tensor), kKeywords,
     "tensor(data, *, dtype=None, device=None, requires_grad=False)\n--\n\n"
     "Create a tensor by copying numbers, nested sequences, arrays, buffers or another tensor.\n\n"
     "Without a dtype, ints become int64, floats float32, complex numbers complex64; arrays and\n"
     "tensors keep theirs.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([[1, 2], [3, 4]])\n"
     "tensor([[1, 2],\n"
     "        [3, 4]])\n"},
    {"as_tensor", as_method(as_tensor), kKeywords,
     "as_tensor(data, dtype=None, device=None)\n--\n\n"
     "Create a tensor like opwright.tensor, sharing the data's memory if possible.\n\n"
     ">>> import opwright as ow\n"
     ">>> x = ow.tensor([1.0])\n"
     ">>> ow.as_tensor(x) is x\n"
     "True\n"},
    {"asarray", as_method(asarray), kKeywords,
     "asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False)\n--\n\n"
     "Create a tensor that shares the object's memory if possible; copy=True always copies, "
     "copy=False\n"
     "never.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.asarray(bytearray(b'ab'), copy=False)\n"
     "tensor([97, 98], dtype=uint8)\n"},
    {"from_numpy", as_method(from_numpy), METH_O,
     "from_numpy(array, /)\n--\n\n"
     "Create a tensor that shares the memory of a NumPy array and keeps it alive.\n\n"
     ">>> import opwright as ow\n"
     ">>> import numpy\n"
     ">>> array = numpy.zeros(2)\n"
     ">>> ow.from_numpy(array)[0] = 1\n"
     ">>> array\n"
     "array([1., 0.])\n"},
    {"from_dlpack", as_method(from_dlpack_object), kKeywords,
     "from_dlpack(object, /, *, device=None, copy=None)\n--\n\n"
     "Create a tensor that shares the memory of an object with __dlpack__, or of a capsule.\n\n"
     ">>> import opwright as ow\n"
     ">>> import numpy\n"
     ">>> ow.from_dlpack(numpy.arange(3))\n"
     "tensor([0, 1, 2])\n"},
    {"frombuffer", as_method(from_buffer), kKeywords,
     "frombuffer(buffer, dtype, count=-1, offset=0, *, requires_grad=False)\n--\n\n"
     "Create a 1-D tensor that shares the memory of a buffer and keeps it alive.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.frombuffer(bytearray(b'abcd'), ow.uint8, offset=2)\n"
     "tensor([ 99, 100], dtype=uint8)\n"},
    {"from_buffer", as_method(from_buffer), kKeywords,
     "from_buffer(buffer, dtype, count=-1, offset=0, *, requires_grad=False)\n--\n\n"
     "Same as frombuffer.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow._C.from_buffer(bytearray(b'ab'), ow.uint8)\n"
     "tensor([97, 98], dtype=uint8)\n"},
    {"is_tensor", as_method(is_tensor_object), METH_O,
     "is_tensor(object, /)\n--\n\n"
     "Return whether an object is a Tensor.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.is_tensor(ow.zeros(2)), ow.is_tensor(2)\n"
     "(True, False)\n"},
    {}};

}  // namespace

Tensor tensor_of_data(PyObject* data, const Conversion& conversion, const char* who) {
  if (is_tensor(data)) return detached_copy(handle_of(data), conversion);
  if (const std::optional<Tensor> shared = tensor_over_object(data, who))
    return detached_copy(*shared, conversion);
  return convert(tensor_of_nested(data, conversion.dtype, who), conversion);
}

Tensor tensor_over_data(PyObject* data, const Conversion& conversion, const char* who) {
  if (is_tensor(data)) return convert(handle_of(data), conversion);
  if (const std::optional<Tensor> shared = tensor_over_object(data, who))
    return convert(*shared, conversion);
  return convert(tensor_of_nested(data, conversion.dtype, who), conversion);
}

void bind_creation(nanobind::module_& m) {
  require_no_error(PyModule_AddFunctions(m.ptr(), creation_functions));
  bind_rebuild(m);
}

}  // namespace opwright::python
