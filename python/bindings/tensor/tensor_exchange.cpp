// Shares the memory of opwright.Tensor without a copy: the buffer protocol, NumPy, DLPack.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <Python.h>

#include "bindings/object/element.h"
#include "bindings/object/fake_mode.h"
#include "bindings/object/foreign_memory.h"
#include "bindings/object/method.h"
#include "bindings/object/numpy_objects.h"
#include "bindings/object/tensor_conversion.h"
#include "bindings/object/tensor_slots.h"
#include "bindings/object/value.h"
#include "opwright/base/thread_state.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/dlpack/dlpack.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/transforms/trace/data_access.h"

namespace opwright::python {
namespace {

// ---- Buffers ----

// The data of a Py_buffer. It keeps the storage: the tensor's contents may be replaced.
struct ExportedBuffer {
  StoragePtr storage;
  Sizes sizes;
  Sizes byte_strides;
};

// Whether computations on the memory would escape recording: not inside a kernel, and not under
// no_grad.
bool escapes_recording(const Tensor& tensor) {
  constexpr uint32_t kUnrecorded = kAttentionGradOff | kAttentionBelowRecording;
  return tensor.requires_grad() && (thread_state().attention & kUnrecorded) == 0;
}

void check_has_buffer(const Tensor& tensor) {
  const auto check = [&](bool holds, const char* problem) {
    OPWRIGHT_CHECK_KIND("BufferError", holds, "the memory of ", tensor,
                        " cannot be a buffer: ", problem);
  };
  make_data_real("memoryview", tensor);
  refuse_state_of_export(tensor, "memoryview");
  if (impl(tensor).is_wrapper() || tensor.is_fake()) throw_no_data("buffer", tensor, "BufferError");
  check(tensor.device().type == kOpwDeviceCpu, "it is on another device; call cpu() first");
  check(!escapes_recording(tensor), "it requires grad; call detach() first");
  check(buffer_format(tensor.dtype()), "the dtype has no buffer format; convert it first");
}

void check_flags(const Py_buffer& view, int flags) {
  const auto check = [](bool holds, const char* problem) {
    OPWRIGHT_CHECK_KIND("BufferError", holds, problem);
  };
  check(!(flags & PyBUF_WRITABLE) || !view.readonly,
        "the memory of this tensor is read-only; clone it first");
  const bool is_c = PyBuffer_IsContiguous(&view, 'C') != 0;
  const bool is_f = PyBuffer_IsContiguous(&view, 'F') != 0;
  const auto wants = [&](int flag) { return (flags & flag) == flag; };
  const char* const problem = "the tensor is not contiguous; call contiguous() first";
  check(!wants(PyBUF_C_CONTIGUOUS) || is_c, problem);
  check(!wants(PyBUF_F_CONTIGUOUS) || is_f, problem);
  check(!wants(PyBUF_ANY_CONTIGUOUS) || is_c || is_f, problem);
  check(wants(PyBUF_STRIDES) || is_c, problem);
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return guarded(
      [&] {
        const LentTensor tensor(self);
        check_has_buffer(*tensor);
        const TensorImpl& body = impl(*tensor);
        const size_t item = item_size(tensor->dtype());
        auto exported = std::make_unique<ExportedBuffer>();
        exported->storage = StoragePtr::share(body.storage);
        exported->sizes.append(body.shape().begin(), body.shape().end());
        for (const int64_t stride : body.strides())
          exported->byte_strides.push_back(stride * static_cast<int64_t>(item));
        view->buf = body.dl.data;
        view->len = tensor->numel() * static_cast<Py_ssize_t>(item);
        view->itemsize = static_cast<Py_ssize_t>(item);
        view->readonly = (body.flags & kOpwFlagReadOnly) ? 1 : 0;
        view->ndim = body.dl.ndim;
        view->format = const_cast<char*>(buffer_format(tensor->dtype()));
        view->shape = exported->sizes.data();
        view->strides = exported->byte_strides.data();
        view->suboffsets = nullptr;
        check_flags(*view, flags);
        if (!(flags & PyBUF_FORMAT)) view->format = nullptr;
        if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES) view->strides = nullptr;
        if (!(flags & PyBUF_ND)) view->shape = nullptr;
        view->internal = exported.release();
        view->obj = Py_NewRef(self);
        return 0;
      },
      -1);
}

void release_buffer(PyObject* /*self*/, Py_buffer* view) {
  delete static_cast<ExportedBuffer*>(view->internal);
}

// ---- NumPy ----

void check_has_array(const Tensor& tensor) {
  make_data_real("numpy", tensor);
  refuse_state_of_export(tensor, "numpy");
  if (impl(tensor).is_wrapper() || tensor.is_fake()) throw_no_data("numpy", tensor);
  OPWRIGHT_CHECK(!escapes_recording(tensor),
                 "numpy: the tensor requires grad; call x.detach().numpy()");
  OPWRIGHT_CHECK_TYPE(tensor.device().type == kOpwDeviceCpu, "numpy: the tensor is on ",
                      tensor.device(), "; call x.cpu().numpy()");
  OPWRIGHT_CHECK_TYPE(buffer_format(tensor.dtype()), "numpy: NumPy has no ", tensor.dtype(),
                      "; call x.float().numpy()");
}

nanobind::object array_of(PyObject* self) {
  check_has_array(*LentTensor(self));
  const nanobind::object view = own(PyMemoryView_FromObject(self));
  return own(PyObject_CallMethod(import_numpy(), "asarray", "O", view.ptr()));
}

PyObject* numpy(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"force", nullptr};
    int force = 0;
    parse_arguments(args, kwargs, "|$p:numpy", names, &force);
    if (!force) return give(array_of(self));
    make_data_real("numpy", *LentTensor(self));
    refuse_state_of_export(*LentTensor(self), "numpy");
    const Tensor plain = convert(detached(handle_of(self)), {.device = kCpu});
    return give(array_of(own(wrap(plain)).ptr()));
  });
}

PyObject* array(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"dtype", "copy", nullptr};
    PyObject* dtype = nullptr;
    PyObject* copy = nullptr;
    parse_arguments(args, kwargs, "|OO:__array__", names, &dtype, &copy);
    const nanobind::object shared = array_of(self);
    const int must_copy = is_given(copy) ? PyObject_IsTrue(copy) : 0;
    require_no_error(must_copy);
    if (is_given(dtype)) {
      const nanobind::object wanted = own(PyObject_CallMethod(import_numpy(), "dtype", "O", dtype));
      const nanobind::object own_dtype = own(PyObject_GetAttrString(shared.ptr(), "dtype"));
      const int is_same = PyObject_RichCompareBool(own_dtype.ptr(), wanted.ptr(), Py_EQ);
      require_no_error(is_same);
      if (!is_same) {
        OPWRIGHT_CHECK_VALUE(!is_given(copy) || must_copy,
                             "__array__: another dtype needs a copy, which copy=False forbids");
        return PyObject_CallMethod(shared.ptr(), "astype", "O", wanted.ptr());
      }
    }
    if (must_copy) return PyObject_CallMethod(shared.ptr(), "copy", nullptr);
    return Py_NewRef(shared.ptr());
  });
}

// Wraps the results of NumPy functions that were called with a tensor.
PyObject* array_wrap(PyObject* /*self*/, PyObject* args) {
  return guarded([&] {
    PyObject* result = nullptr;
    PyObject* context = nullptr;
    PyObject* return_scalar = nullptr;
    if (!PyArg_ParseTuple(args, "O|OO:__array_wrap__", &result, &context, &return_scalar))
      throw_python_error();
    return require(wrap(tensor_over_buffer(result, "__array_wrap__")));
  });
}

// ---- DLPack ----

// A capsule that was not consumed frees what it holds.
template <class Managed>
void destroy_capsule(PyObject* capsule, const char* name) noexcept {
  if (!PyCapsule_IsValid(capsule, name)) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (managed->deleter) managed->deleter(managed);
}
void destroy_old(PyObject* capsule) { destroy_capsule<DlManagedTensor>(capsule, "dltensor"); }
void destroy_versioned(PyObject* capsule) {
  destroy_capsule<DlManagedTensorVersioned>(capsule, "dltensor_versioned");
}

template <class Managed>
PyObject* make_managed_capsule(Managed* managed, const char* name,
                               PyCapsule_Destructor destructor) {
  PyObject* capsule = PyCapsule_New(managed, name, destructor);
  if (!capsule) {
    managed->deleter(managed);
    throw_python_error();
  }
  return capsule;
}

Device dlpack_device(const Tensor& tensor) {
  make_data_real("__dlpack__", tensor);
  refuse_state_of_export(tensor, "__dlpack__");
  if (tensor.is_fake()) throw_no_data("__dlpack__", tensor, "BufferError");
  return tensor.device();
}

// The consumer's stream as DLPack numbers it: None is the default one, -1 means no waiting.
std::optional<OpwStream*> read_dlpack_stream(PyObject* stream, Device device) {
  OPWRIGHT_CHECK_TYPE(!is_given(stream) || PyLong_Check(stream),
                      "__dlpack__: stream must be an int or None, got ", class_name(stream));
  if (!has_streams(device)) {
    // Also an AssertionError, which is what code written for PyTorch catches.
    OPWRIGHT_CHECK_KIND("InputValueError", !is_given(stream) || PyLong_AsLong(stream) == -1,
                        "__dlpack__: ", device, " has no streams; stream must be None");
    return std::nullopt;
  }
  if (!is_given(stream)) return nullptr;
  const long long number = PyLong_AsLongLong(stream);
  if (number == -1 && PyErr_Occurred()) throw_python_error();
  OPWRIGHT_CHECK_VALUE(number != 0, "__dlpack__: stream 0 is ambiguous; 1 is the default stream");
  if (number == -1) return std::nullopt;
  constexpr long long kLegacyDefaultStream = 1;
  if (number == kLegacyDefaultStream) return nullptr;
  return reinterpret_cast<OpwStream*>(number);
}

// The tensor in the consumer's form; `is_copied` is set if it is a new one.
Tensor prepare(const Tensor& tensor, PyObject* wanted_device, PyObject* copy, bool& is_copied) {
  const Device device = dlpack_device(tensor);
  Device target = device;
  if (is_given(wanted_device)) {
    OPWRIGHT_CHECK_TYPE(PyTuple_Check(wanted_device),
                        "__dlpack__: dl_device must be a tuple of type and index, got ",
                        class_name(wanted_device));
    if (!PyArg_ParseTuple(wanted_device, "ii", &target.type, &target.index)) throw_python_error();
    OPWRIGHT_CHECK_KIND("BufferError", find_device_name(target.type),
                        "__dlpack__: Unsupported device_type: ", target.type);
  }
  const int copies = is_given(copy) ? PyObject_IsTrue(copy) : 0;
  require_no_error(copies);
  const bool must_copy = copies == 1;
  const bool must_not_copy = is_given(copy) && !must_copy;
  is_copied = must_copy || target != device;
  if (!is_copied) return tensor;
  OPWRIGHT_CHECK_KIND("BufferError", !must_not_copy, "__dlpack__: memory on ", device,
                      " cannot be shown on ", target, " without a copy, which copy=False forbids");
  OPWRIGHT_CHECK_KIND("BufferError", !tensor.requires_grad(),
                      "__dlpack__: the tensor requires grad; detach it first");
  return detached_copy(tensor, {.device = target});
}

PyObject* dlpack(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
    PyObject* stream = nullptr;
    PyObject* max_version = nullptr;
    PyObject* wanted_device = nullptr;
    PyObject* copy = nullptr;
    parse_arguments(args, kwargs, "|$OOOO:__dlpack__", names, &stream, &max_version, &wanted_device,
                    &copy);
    unsigned int major = 0;
    unsigned int minor = 0;
    if (is_given(max_version)) {
      OPWRIGHT_CHECK_TYPE(PyTuple_Check(max_version),
                          "__dlpack__: max_version must be a tuple of two ints, got ",
                          class_name(max_version));
      if (!PyArg_ParseTuple(max_version, "II", &major, &minor)) throw_python_error();
    }
    DlExport options;
    const Tensor tensor = prepare(handle_of(self), wanted_device, copy, options.is_copied);
    options.stream = read_dlpack_stream(stream, tensor.device());
    if (major >= kDlVersion.major) {
      return make_managed_capsule(to_dlpack_versioned(tensor, options), "dltensor_versioned",
                                  destroy_versioned);
    }
    return make_managed_capsule(to_dlpack(tensor, options), "dltensor", destroy_old);
  });
}

PyObject* get_dlpack_device(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    const Device device = dlpack_device(*LentTensor(self));
    return Py_BuildValue("(ii)", device.type, device.index);
  });
}

const PyMethodDef kExchangeMethods[] = {
    {"numpy", as_method(numpy), kKeywords,
     "numpy($self, *, force=False)\n--\n\n"
     "Return a NumPy array that shares the memory. With force also for one that requires grad or "
     "is\n"
     "on another device: without its gradient, as a copy on the CPU.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.0, 2.0]).numpy()\n"
     "array([1., 2.], dtype=float32)\n"},
    {"__array__", as_method(array), kKeywords,
     "__array__($self, dtype=None, copy=None)\n--\n\n"
     "Return a NumPy array, sharing the memory if the dtype and copy allow it.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1, 2]).__array__(float)\n"
     "array([1., 2.])\n"},
    {"__array_wrap__", as_method(array_wrap), METH_VARARGS,
     "__array_wrap__($self, array, context=None, return_scalar=False, /)\n--\n\n"
     "Convert the result of a NumPy function on this tensor to a tensor.\n\n"
     ">>> import opwright as ow\n"
     ">>> import numpy\n"
     ">>> ow.tensor([1.0, 2.0]) * numpy.ones(2)\n"
     "tensor([1., 2.], dtype=float64)\n"},
    {"__dlpack__", as_method(dlpack), kKeywords,
     "__dlpack__($self, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "Return a DLPack capsule over the same memory, for other libraries' from_dlpack.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.from_dlpack(ow.tensor([1, 2]).__dlpack__())\n"
     "tensor([1, 2])\n"},
    {"__dlpack_device__", as_method(get_dlpack_device), METH_NOARGS,
     "__dlpack_device__($self, /)\n--\n\n"
     "Return DLPack's type and index of the device.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1, 2]).__dlpack_device__()\n"
     "(1, 0)\n"},
};

const PyType_Slot kExchangeSlots[] = {
    {Py_bf_getbuffer, as_slot(get_buffer)},
    {Py_bf_releasebuffer, as_slot(release_buffer)},
};

}  // namespace

void add_exchange_slots(TensorSlots& out) {
  out.methods.insert(out.methods.end(), std::begin(kExchangeMethods), std::end(kExchangeMethods));
  out.slots.insert(out.slots.end(), std::begin(kExchangeSlots), std::end(kExchangeSlots));
}

}  // namespace opwright::python
