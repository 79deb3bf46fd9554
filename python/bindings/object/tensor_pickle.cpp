#include "bindings/object/tensor_pickle.h"

#include <cstdint>
#include <string>
#include <utility>

#include <nanobind/nanobind.h>

#include "bindings/object/foreign_memory.h"
#include "bindings/object/method.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/tensor_conversion.h"
#include "bindings/object/value.h"
#include "opwright/autograd/history.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/transforms/trace/data_access.h"

namespace opwright::python {
namespace {

PyObject* rebuild_function = nullptr;  // owned permanently

// ---- The bytes of a tensor ----

// Dense memory in any order of dimensions; its strides are kept.
bool is_dense(const Tensor& tensor) {
  const auto extent = find_extent(tensor.sizes(), tensor.strides());
  return extent && extent->lowest == 0 && extent->length() == tensor.numel();
}

// The memory of a dense CPU tensor as bytes, which keep it alive.
Tensor bytes_of(const Tensor& tensor) {
  const int64_t bytes = tensor.numel() * static_cast<int64_t>(item_size(tensor.dtype()));
  const int64_t stride = 1;
  const TensorImpl& body = impl(tensor);
  Tensor view = make_from_memory(
      body.dl.data, {&bytes, 1}, {&stride, 1}, DType::UInt8, kCpu,
      [](void* storage) { static_cast<Storage*>(storage)->release(); },
      StoragePtr::share(body.storage).give());
  if (body.flags & kOpwFlagReadOnly) {
    impl(view).storage->is_read_only = true;
    impl(view).flags |= kOpwFlagReadOnly;
  }
  return view;
}

// A PickleBuffer, which protocol 5 can transfer without a copy; for older protocols a bytearray, so
// that the loaded tensor is writable.
nanobind::object data_of(const Tensor& dense, int protocol) {
  const nanobind::object bytes = own(wrap(bytes_of(dense)));
  constexpr int kFirstWithBuffers = 5;
  if (protocol >= kFirstWithBuffers) return own(PyPickleBuffer_FromObject(bytes.ptr()));
  return own(PyByteArray_FromObject(bytes.ptr()));
}

nanobind::object tuple_of(std::span<const int64_t> values) {
  nanobind::object tuple = own(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                     require(PyLong_FromLongLong(values[i])));
  return tuple;
}

Sizes read_sizes(PyObject* tuple) {
  OPWRIGHT_CHECK_TYPE(PyTuple_Check(tuple), "_rebuild_tensor: sizes must be a tuple, got ",
                      class_name(tuple));
  Sizes sizes;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    sizes.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i)));
    if (sizes.back() == -1 && PyErr_Occurred()) throw_python_error();
  }
  return sizes;
}

// ---- Pickling ----

nanobind::object pickled_state(PyObject* self) {
  return own(PyObject_CallMethod(self, "__getstate__", nullptr));
}

PyObject* tensor_reduce(PyObject* self, PyObject* protocol) {
  return guarded([&] {
    const long version = PyLong_AsLong(protocol);
    if (version == -1 && PyErr_Occurred()) throw_python_error();
    const LentTensor tensor(self);
    make_data_real("pickle", *tensor);
    OPWRIGHT_CHECK(!impl(*tensor).is_wrapper(),
                   "pickle: a tensor inside a transform cannot be "
                   "pickled; return it from the transformed function first");
    OPWRIGHT_CHECK(!tensor->is_symbolic(),
                   "pickle: a tensor with symbolic sizes cannot be pickled (", *tensor, ")");
    nanobind::object data = nanobind::none();
    Tensor shown = *tensor;
    if (!tensor->is_fake()) {
      const bool is_here = tensor->device().type == kOpwDeviceCpu;
      if (!is_here || !is_dense(shown)) {
        shown = detached_copy(shown, {.device = kCpu,
                                      .memory_format = is_dense(shown) ? MemoryFormat::Preserve
                                                                       : MemoryFormat::Contiguous});
      }
      data = data_of(shown, static_cast<int>(version));
    }
    const std::string device = device_text(tensor->device());
    const nanobind::object sizes = tuple_of(shown.sizes());
    const nanobind::object strides = tuple_of(shown.strides());
    const nanobind::object state = pickled_state(self);
    return Py_BuildValue("O(OOsOOsO)O", rebuild_function, Py_TYPE(self), data.ptr(),
                         dtype_name_or_null(tensor->dtype()), sizes.ptr(), strides.ptr(),
                         device.c_str(), tensor->requires_grad() ? Py_True : Py_False, state.ptr());
  });
}

Tensor tensor_of_bytes(PyObject* data, DType dtype, const Sizes& sizes, const Sizes& strides) {
  Tensor bytes = tensor_over_bytes(data, DType::UInt8, -1, 0, "_rebuild_tensor");
  const size_t alignment = is_complex(dtype) ? item_size(dtype) / 2 : item_size(dtype);
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignment != 0) bytes = detached_copy(bytes);
  OPWRIGHT_CHECK_VALUE(bytes.dtype() == DType::UInt8 && bytes.is_contiguous() &&
                           product(sizes) * static_cast<int64_t>(item_size(dtype)) == bytes.numel(),
                       "_rebuild_tensor: ", to_text(sizes), " elements of ", dtype, " do not fit ",
                       bytes);
  const auto extent = find_extent(sizes, strides);
  OPWRIGHT_CHECK_VALUE(extent && extent->lowest == 0 && extent->length() == product(sizes),
                       "_rebuild_tensor: strides ", to_text(strides), " are not those of dense ",
                       to_text(sizes), " elements");
  const TensorImpl& body = impl(bytes);
  Tensor tensor = make_from_memory(
      body.dl.data, sizes, strides, dtype, kCpu,
      [](void* storage) { static_cast<Storage*>(storage)->release(); },
      StoragePtr::share(body.storage).give());
  if (body.flags & kOpwFlagReadOnly) {
    impl(tensor).storage->is_read_only = true;
    impl(tensor).flags |= kOpwFlagReadOnly;
  }
  return tensor;
}

PyObject* rebuild(PyObject* /*module*/, PyObject* args) {
  return guarded([&] {
    PyObject* python_class = nullptr;
    PyObject* data = nullptr;
    PyObject* dtype_name = nullptr;
    PyObject* sizes_tuple = nullptr;
    PyObject* strides_tuple = nullptr;
    const char* device_name = nullptr;
    int requires_grad = 0;
    if (!PyArg_ParseTuple(args, "OOOOOsp:_rebuild_tensor", &python_class, &data, &dtype_name,
                          &sizes_tuple, &strides_tuple, &device_name, &requires_grad)) {
      throw_python_error();
    }
    OPWRIGHT_CHECK_TYPE(
        PyType_Check(python_class) &&
            PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(python_class), tensor_type),
        "_rebuild_tensor: the class must be Tensor or a subclass");
    const DType dtype = parse_dtype(dtype_name);
    const Sizes sizes = read_sizes(sizes_tuple);
    const Sizes strides = read_sizes(strides_tuple);
    const Device device = parse_device(device_name);
    Tensor tensor;
    if (data == Py_None) {
      const std::vector<SymInt> sym_sizes(sizes.begin(), sizes.end());
      const std::vector<SymInt> sym_strides(strides.begin(), strides.end());
      tensor = make_fake(sym_sizes, sym_strides, 0, dtype, device);
    } else {
      tensor = convert(tensor_of_bytes(data, dtype, sizes, strides), {.device = device});
    }
    if (requires_grad) set_requires_grad(tensor, true);
    return make_instance(reinterpret_cast<PyTypeObject*>(python_class), std::move(tensor));
  });
}

// ---- Copies ----

void restore_state(PyObject* copy, PyObject* state) {
  if (state == Py_None) return;
  if (PyObject_HasAttrString(copy, "__setstate__")) {
    (void)own(PyObject_CallMethod(copy, "__setstate__", "O", state));
    return;
  }
  const bool has_slots = PyTuple_Check(state) && PyTuple_GET_SIZE(state) == 2;
  PyObject* parts[] = {has_slots ? PyTuple_GET_ITEM(state, 0) : state,
                       has_slots ? PyTuple_GET_ITEM(state, 1) : Py_None};
  for (PyObject* part : parts) {
    if (part == Py_None) continue;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(part, &at, &key, &value);)
      require_no_error(PyObject_SetAttr(copy, key, value));
  }
}

nanobind::object instance_like(PyObject* self, Tensor tensor) {
  if (LentTensor(self)->requires_grad()) set_requires_grad(tensor, true);
  return own(make_instance(Py_TYPE(self), std::move(tensor)));
}

PyObject* copy(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    nanobind::object result = instance_like(self, detached(handle_of(self)));
    restore_state(result.ptr(), pickled_state(self).ptr());
    return give(std::move(result));
  });
}

PyObject* deep_copy(PyObject* self, PyObject* memo) {
  return guarded([&] {
    const nanobind::object key = own(PyLong_FromVoidPtr(self));
    if (PyObject* known = PyDict_Check(memo) ? PyDict_GetItemWithError(memo, key.ptr()) : nullptr)
      return Py_NewRef(known);
    nanobind::object result = instance_like(self, detached_copy(handle_of(self)));
    require_no_error(PyObject_SetItem(memo, key.ptr(), result.ptr()));
    const nanobind::object state = pickled_state(self);
    if (state.ptr() != Py_None) {
      const nanobind::object module = own(PyImport_ImportModule("copy"));
      restore_state(
          result.ptr(),
          own(PyObject_CallMethod(module.ptr(), "deepcopy", "OO", state.ptr(), memo)).ptr());
    }
    return give(std::move(result));
  });
}

const PyMethodDef kPickleMethods[] = {
    {"__reduce_ex__", as_method(tensor_reduce), METH_O,
     "__reduce_ex__($self, protocol, /)\n--\n\n"
     "Support pickle: class, bytes, sizes, attributes.\n\n"
     ">>> import opwright as ow\n"
     ">>> import pickle\n"
     ">>> pickle.loads(pickle.dumps(ow.tensor([1, 2])))\n"
     "tensor([1, 2])\n"},
    {"__copy__", as_method(copy), METH_NOARGS,
     "__copy__($self, /)\n--\n\n"
     "Return another tensor over the same memory, with the same attributes.\n\n"
     ">>> import opwright as ow\n"
     ">>> import copy\n"
     ">>> x = ow.tensor([1, 2])\n"
     ">>> copy.copy(x).data_ptr() == x.data_ptr()\n"
     "True\n"},
    {"__deepcopy__", as_method(deep_copy), METH_O,
     "__deepcopy__($self, memo, /)\n--\n\n"
     "Return a tensor with a copy of the memory and of the attributes.\n\n"
     ">>> import opwright as ow\n"
     ">>> import copy\n"
     ">>> x = ow.tensor([1, 2])\n"
     ">>> copy.deepcopy(x).data_ptr() == x.data_ptr()\n"
     "False\n"},
};

PyMethodDef rebuild_methods[] = {
    {"_rebuild_tensor", as_method(rebuild), METH_VARARGS,
     "_rebuild_tensor(python_class, data, dtype, sizes, strides, device, requires_grad, /)\n--\n\n"
     "Rebuild a tensor from the result of Tensor.__reduce_ex__.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow._C._rebuild_tensor(ow.Tensor, bytearray(b'ab'), 'uint8', (2,), (1,), 'cpu', False)\n"
     "tensor([97, 98], dtype=uint8)\n"},
    {}};

}  // namespace

void add_pickle_slots(TensorSlots& out) {
  out.methods.insert(out.methods.end(), std::begin(kPickleMethods), std::end(kPickleMethods));
}

void bind_rebuild(nanobind::module_& m) {
  require_no_error(PyModule_AddFunctions(m.ptr(), rebuild_methods));
  rebuild_function = require(PyObject_GetAttrString(m.ptr(), "_rebuild_tensor"));
}

}  // namespace opwright::python
