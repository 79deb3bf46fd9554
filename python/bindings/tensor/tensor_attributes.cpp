// The attributes and the constructor of opwright.Tensor.
#include <cstdint>
#include <string>
#include <vector>

#include <Python.h>

#include "bindings/object/fake_mode.h"
#include "bindings/object/method.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/size_object.h"
#include "bindings/object/tensor_conversion.h"
#include "bindings/object/tensor_slots.h"
#include "bindings/object/value.h"
#include "bindings/tensor/creation.h"
#include "opwright/autograd/boundary.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/transforms/trace/data_access.h"

namespace opwright::python {
namespace {

// ---- Making ----

// The first argument or `data`; null if absent. A subclass with its own __init__ may take more.
PyObject* find_data(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  const Py_ssize_t num_args = PyTuple_GET_SIZE(args);
  const Py_ssize_t num_kwargs = kwargs ? PyDict_GET_SIZE(kwargs) : 0;
  PyObject* data = num_args > 0     ? PyTuple_GET_ITEM(args, 0)
                   : num_kwargs > 0 ? PyDict_GetItemString(kwargs, "data")
                                    : nullptr;
  const Py_ssize_t most = data ? 1 : 0;
  OPWRIGHT_CHECK_TYPE(num_args + num_kwargs <= most || type->tp_init != tensor_type->tp_init,
                      "Tensor: it takes one argument, the data, or sizes, got ",
                      num_args + num_kwargs, "; opwright.tensor takes a dtype and a device");
  return data;
}

// The sizes of Tensor(2, 3) and of Tensor(size); nullopt if the arguments are data.
std::optional<Sizes> find_sizes(PyObject* args) {
  PyObject* sizes = args;
  if (PyTuple_GET_SIZE(args) == 1 && Py_TYPE(PyTuple_GET_ITEM(args, 0)) == size_type)
    sizes = PyTuple_GET_ITEM(args, 0);
  if (PyTuple_GET_SIZE(args) == 0) return std::nullopt;
  Sizes result;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sizes); ++i) {
    PyObject* size = PyTuple_GET_ITEM(sizes, i);
    if (!PyLong_CheckExact(size)) return std::nullopt;
    const int64_t value = PyLong_AsLongLong(size);
    if (value == -1 && PyErr_Occurred()) throw_python_error();
    OPWRIGHT_CHECK_VALUE(value >= 0, "Tensor: a size must not be negative, got ", value);
    result.push_back(value);
  }
  return result;
}

PyObject* construct_tensor(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    if (type->tp_init == tensor_type->tp_init && !kwargs) {
      if (const auto sizes = find_sizes(args))
        return make_instance(type, adopt(make_empty(*sizes, DType::Float32)));
    }
    PyObject* data = find_data(type, args, kwargs);
    if (!data) {
      const int64_t none = 0;
      return make_instance(type, adopt(make_empty({&none, 1}, DType::Float32)));
    }
    if (is_tensor(data)) return make_instance(type, detached(handle_of(data)));
    return make_instance(type, tensor_of_data(data, {.dtype = DType::Float32}, "Tensor"));
  });
}

// The object is complete when it is created, so subclasses may pass any arguments.
int initialise(PyObject* /*self*/, PyObject* /*args*/, PyObject* /*kwargs*/) { return 0; }

Py_hash_t tensor_hash(PyObject* self) { return PyBaseObject_Type.tp_hash(self); }

// ---- Sizes ----

// The tensor whose sizes apply at the current level: inside a trace that lifted it, its traced
// version, whose sizes may be symbols.
class SeenTensor {
 public:
  explicit SeenTensor(PyObject* object) : lent_(object) {
    if (thread_state().current) [[unlikely]]
      twin_ = seen(*lent_);
  }
  const Tensor& operator*() const noexcept { return twin_.is_defined() ? twin_ : *lent_; }
  const Tensor* operator->() const noexcept { return &**this; }

 private:
  LentTensor lent_;
  Tensor twin_;
};

// The only function that turns a size into a Python object, a number or a symbol.
PyObject* size_to_python(const SymInt& size) {
  if (!size.is_symbolic()) [[likely]]
    return require(PyLong_FromLongLong(size.word()));
  OpwValue value{};
  value.tag = kOpwSymInt;
  value.as_int = size.word();
  return require(to_python(value));
}

// Fills a new tuple.
template <class SizeAt>
PyObject* tuple_of_sizes(PyObject* made, int64_t length, const SizeAt& size_at) {
  nanobind::object tuple = own(made);
  for (int64_t i = 0; i < length; ++i) PyTuple_SET_ITEM(tuple.ptr(), i, size_to_python(size_at(i)));
  return give(std::move(tuple));
}

PyObject* get_shape(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const SeenTensor tensor(self);
    const int64_t ndim = tensor->dim();
    return tuple_of_sizes(new_size(ndim), ndim, [&](int64_t i) { return tensor->sym_size(i); });
  });
}

// The argument `dim` of size() and stride(); empty if not given.
std::optional<int64_t> read_dim(PyObject* args, PyObject* kwargs, const char* format) {
  static const char* const names[] = {"dim", nullptr};
  PyObject* dim = nullptr;
  parse_arguments(args, kwargs, format, names, &dim);
  if (!is_given(dim)) return std::nullopt;
  const nanobind::object index = own(PyNumber_Index(dim));
  const long long value = PyLong_AsLongLong(index.ptr());
  if (value == -1 && PyErr_Occurred()) throw_python_error();
  return value;
}

PyObject* size(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    const std::optional<int64_t> dim = read_dim(args, kwargs, "|O:size");
    return dim ? size_to_python(SeenTensor(self)->sym_size(*dim)) : get_shape(self, nullptr);
  });
}

PyObject* stride(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    const std::optional<int64_t> dim = read_dim(args, kwargs, "|O:stride");
    const SeenTensor tensor(self);
    if (dim) return size_to_python(tensor->sym_stride(*dim));
    const int64_t ndim = tensor->dim();
    return tuple_of_sizes(PyTuple_New(ndim), ndim,
                          [&](int64_t i) { return tensor->sym_stride(i); });
  });
}

PyObject* dim(PyObject* self, PyObject* /*args*/) {
  return guarded([&] { return PyLong_FromLongLong(SeenTensor(self)->dim()); });
}
PyObject* get_ndim(PyObject* self, void* /*closure*/) { return dim(self, nullptr); }

PyObject* numel(PyObject* self, PyObject* /*args*/) {
  return guarded([&] { return size_to_python(SeenTensor(self)->sym_numel()); });
}

PyObject* storage_offset(PyObject* self, PyObject* /*args*/) {
  return guarded([&] { return size_to_python(sym_geometry_of(*SeenTensor(self)).offset); });
}

PyObject* is_contiguous_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"memory_format", nullptr};
    PyObject* format = nullptr;
    parse_arguments(args, kwargs, "|O:is_contiguous", names, &format);
    const SeenTensor tensor(self);
    if (!is_given(format) && !tensor->is_symbolic())
      return PyBool_FromLong(tensor->numel() == 0 || tensor->is_contiguous() ? 1 : 0);
    OPWRIGHT_CHECK_TYPE(!is_given(format) || Py_TYPE(format) == memory_format_type,
                        "is_contiguous: memory_format must be a memory_format, got ",
                        class_name(format));
    const MemoryFormat order =
        is_given(format) ? as_memory_format(format) : MemoryFormat::Contiguous;
    OPWRIGHT_CHECK_VALUE(order != MemoryFormat::Preserve,
                         "is_contiguous: memory_format must name an order of dimensions, got "
                         "preserve_format");
    const SymGeometry geometry = sym_geometry_of(*tensor);
    return PyBool_FromLong(is_contiguous(geometry.sizes, geometry.strides, order) ? 1 : 0);
  });
}

// ---- Elements and memory ----

PyObject* element_size(PyObject* self, PyObject* /*args*/) {
  return guarded([&] { return PyLong_FromSize_t(item_size(LentTensor(self)->dtype())); });
}
PyObject* get_itemsize(PyObject* self, void* /*closure*/) { return element_size(self, nullptr); }

PyObject* get_nbytes(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const SeenTensor tensor(self);
    return size_to_python(tensor->sym_numel() *
                          SymInt(static_cast<int64_t>(item_size(tensor->dtype()))));
  });
}

PyObject* get_dtype(PyObject* self, void* /*closure*/) {
  return guarded([&] { return to_python(LentTensor(self)->dtype()); });
}

PyObject* get_device(PyObject* self, void* /*closure*/) {
  return guarded([&] { return to_python(LentTensor(self)->device()); });
}

PyObject* get_layout(PyObject* /*self*/, void* /*closure*/) {
  return guarded([] { return to_python(Layout::Strided); });
}

PyObject* is_floating_point(PyObject* self, PyObject* /*args*/) {
  return guarded([&] { return PyBool_FromLong(is_floating(LentTensor(self)->dtype()) ? 1 : 0); });
}

PyObject* is_complex_method(PyObject* self, PyObject* /*args*/) {
  return guarded([&] { return PyBool_FromLong(is_complex(LentTensor(self)->dtype()) ? 1 : 0); });
}

template <int32_t device_type_number>
PyObject* get_is_on(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    return PyBool_FromLong(LentTensor(self)->device().type == device_type_number ? 1 : 0);
  });
}

PyObject* get_is_fake(PyObject* self, void* /*closure*/) {
  return guarded([&] { return PyBool_FromLong(LentTensor(self)->is_fake() ? 1 : 0); });
}

PyObject* is_inference(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    return PyBool_FromLong((LentTensor(self)->get()->flags & kOpwFlagInference) ? 1 : 0);
  });
}

PyObject* data_ptr(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    const LentTensor tensor(self);
    make_data_real("data_ptr", *tensor);
    if (tensor->is_fake() || impl(*tensor).is_wrapper()) throw_no_data("data_ptr", *tensor);
    return PyLong_FromVoidPtr(const_cast<void*>(tensor->data()));
  });
}

PyObject* get_version(PyObject* self, void* /*closure*/) {
  return guarded([&] { return PyLong_FromUnsignedLongLong(version_of(*LentTensor(self))); });
}

// ---- Relatives ----

PyObject* new_tensor(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"data", "dtype", "device", "requires_grad", nullptr};
    PyObject* data = nullptr;
    PyObject* dtype = nullptr;
    PyObject* device = nullptr;
    int requires_grad = 0;
    parse_arguments(args, kwargs, "O|$OOp:new_tensor", names, &data, &dtype, &device,
                    &requires_grad);
    Conversion conversion = read_conversion(dtype, device);
    const LentTensor like(self);
    if (!conversion.dtype) conversion.dtype = like->dtype();
    if (!conversion.device) conversion.device = like->device();
    Tensor tensor = tensor_of_data(data, conversion, "new_tensor");
    if (requires_grad) set_requires_grad(tensor, true);
    return require(wrap(std::move(tensor)));
  });
}

PyObject* get_transposed(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const Tensor tensor = handle_of(self);
    std::vector<int64_t> order;
    for (int64_t i = tensor.dim(); i-- > 0;) order.push_back(i);
    return require(wrap(permute(tensor, order)));
  });
}

PyObject* get_matrix_transposed(PyObject* self, void* /*closure*/) {
  return guarded([&] {
    const Tensor tensor = handle_of(self);
    OPWRIGHT_CHECK(tensor.dim() >= 2,
                   "mT: it is only supported on matrices, which have at least 2 dimensions, got ",
                   tensor);
    return require(wrap(transpose(tensor, -2, -1)));
  });
}

const PyMethodDef kAttributeMethods[] = {
    {"size", as_method(size), kKeywords,
     "size($self, dim=None)\n--\n\n"
     "Return the sizes, or the size of one dimension.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3).size(), ow.zeros(2, 3).size(-1)\n"
     "((2, 3), 3)\n"},
    {"stride", as_method(stride), kKeywords,
     "stride($self, dim=None)\n--\n\n"
     "Return the strides in elements, or the stride of one dimension.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3).stride()\n"
     "(3, 1)\n"},
    {"dim", as_method(dim), METH_NOARGS,
     "dim($self, /)\n--\n\n"
     "Return the number of dimensions.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3).dim()\n"
     "2\n"},
    {"ndimension", as_method(dim), METH_NOARGS,
     "ndimension($self, /)\n--\n\n"
     "Same as dim.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3).ndimension()\n"
     "2\n"},
    {"numel", as_method(numel), METH_NOARGS,
     "numel($self, /)\n--\n\n"
     "Return the number of elements.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3).numel()\n"
     "6\n"},
    {"nelement", as_method(numel), METH_NOARGS,
     "nelement($self, /)\n--\n\n"
     "Same as numel.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3).nelement()\n"
     "6\n"},
    {"element_size", as_method(element_size), METH_NOARGS,
     "element_size($self, /)\n--\n\n"
     "Return the size of one element in bytes.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2).element_size()\n"
     "4\n"},
    {"storage_offset", as_method(storage_offset), METH_NOARGS,
     "storage_offset($self, /)\n--\n\n"
     "Return the offset of the first element in the storage, in elements.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3)[1].storage_offset()\n"
     "3\n"},
    {"is_contiguous", as_method(is_contiguous_method), kKeywords,
     "is_contiguous($self, memory_format=None)\n--\n\n"
     "Return whether the elements are dense and in order.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, 3).is_contiguous(), ow.zeros(2, 3).T.is_contiguous()\n"
     "(True, False)\n"},
    {"is_inference", as_method(is_inference), METH_NOARGS,
     "is_inference($self, /)\n--\n\n"
     "Return whether the tensor was created in inference mode.\n\n"
     ">>> import opwright as ow\n"
     ">>> with ow.inference_mode():\n"
     "...     made = ow.zeros(2)\n"
     ">>> made.is_inference(), ow.zeros(2).is_inference()\n"
     "(True, False)\n"},
    {"is_floating_point", as_method(is_floating_point), METH_NOARGS,
     "is_floating_point($self, /)\n--\n\n"
     "Return whether the dtype is floating.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2).is_floating_point()\n"
     "True\n"},
    {"is_complex", as_method(is_complex_method), METH_NOARGS,
     "is_complex($self, /)\n--\n\n"
     "Return whether the dtype is complex.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor(1j).is_complex()\n"
     "True\n"},
    {"data_ptr", as_method(data_ptr), METH_NOARGS,
     "data_ptr($self, /)\n--\n\n"
     "Return the address of the first element.\n\n"
     ">>> import opwright as ow\n"
     ">>> x = ow.zeros(2, 3)\n"
     ">>> x[1].data_ptr() - x.data_ptr()\n"
     "12\n"},
    {"new_tensor", as_method(new_tensor), kKeywords,
     "new_tensor($self, data, *, dtype=None, device=None, requires_grad=False)\n--\n\n"
     "Create a tensor from data with this tensor's dtype and device.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(2, dtype=ow.float64).new_tensor([1, 2]).dtype\n"
     "opwright.float64\n"},
};

}  // namespace

void add_attribute_slots(TensorSlots& out) {
  out.methods.insert(out.methods.end(), std::begin(kAttributeMethods), std::end(kAttributeMethods));
  const PyGetSetDef properties[] = {
      read_only("shape", get_shape,
                "The sizes as a tuple.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2, 3).shape\n"
                "(2, 3)\n"),
      read_only("ndim", get_ndim,
                "The number of dimensions.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2, 3).ndim\n"
                "2\n"),
      read_only("is_fake", get_is_fake,
                "Whether the tensor has no memory: it is of a FakeTensorMode, or on meta.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2).is_fake, ow.zeros(2, device='meta').is_fake\n"
                "(False, True)\n"),
      read_only("itemsize", get_itemsize,
                "The size of one element in bytes.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2).itemsize\n"
                "4\n"),
      read_only("nbytes", get_nbytes,
                "The size of all elements in bytes.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2, 3).nbytes\n"
                "24\n"),
      read_only("dtype", get_dtype,
                "The type of the elements.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2).dtype\n"
                "opwright.float32\n"),
      read_only("device", get_device,
                "The device of the memory.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2).device\n"
                "device(type='cpu')\n"),
      read_only("layout", get_layout,
                "The layout; always strided.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2).layout\n"
                "opwright.strided\n"),
      read_only("is_cpu", get_is_on<kOpwDeviceCpu>,
                "Whether the device is the CPU.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2).is_cpu\n"
                "True\n"),
      read_only("is_cuda", get_is_on<kOpwDeviceCuda>,
                "Whether the device is a CUDA device.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2).is_cuda\n"
                "False\n"),
      read_only("is_meta", get_is_on<kOpwDeviceMeta>,
                "Whether the device is meta, which has sizes but no memory.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2, device='meta').is_meta\n"
                "True\n"),
      read_only("_version", get_version,
                "How often operators wrote to the storage.\n\n"
                ">>> import opwright as ow\n"
                ">>> x = ow.zeros(2)\n"
                ">>> x[0] = 1\n"
                ">>> x._version > ow.zeros(2)._version\n"
                "True\n"),
      read_only("T", get_transposed,
                "The tensor with its dimensions reversed.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2, 3).T.shape\n"
                "(3, 2)\n"),
      read_only("mT", get_matrix_transposed,
                "The tensor with its last two dimensions swapped.\n\n"
                ">>> import opwright as ow\n"
                ">>> ow.zeros(2, 3, 4).mT.shape\n"
                "(2, 4, 3)\n"),
  };
  out.properties.insert(out.properties.end(), std::begin(properties), std::end(properties));
  out.properties.push_back({"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict,
                            "The attributes set on the tensor.", nullptr});
  const PyType_Slot slots[] = {{Py_tp_new, as_slot(construct_tensor)},
                               {Py_tp_init, as_slot(initialise)},
                               {Py_tp_hash, as_slot(tensor_hash)}};
  out.slots.insert(out.slots.end(), std::begin(slots), std::end(slots));
}

}  // namespace opwright::python
