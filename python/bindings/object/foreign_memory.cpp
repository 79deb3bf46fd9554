#include "bindings/object/foreign_memory.h"

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "bindings/interpreter/lock.h"
#include "bindings/object/fake_mode.h"
#include "bindings/object/method.h"
#include "bindings/object/numpy_objects.h"
#include "bindings/object/value.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/dlpack/dlpack.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright::python {
namespace {

// ---- Elements ----

struct Format {
  DType dtype;
  const char* text;
};
// 64-bit integers are C's long, which is what NumPy calls them too.
static_assert(sizeof(long) == 8 && sizeof(int) == 4);
constexpr Format kFormats[] = {
    {DType::Bool, "?"},       {DType::UInt8, "B"},       {DType::UInt16, "H"},
    {DType::UInt32, "I"},     {DType::UInt64, "L"},      {DType::Int8, "b"},
    {DType::Int16, "h"},      {DType::Int32, "i"},       {DType::Int64, "l"},
    {DType::Float16, "e"},    {DType::Float32, "f"},     {DType::Float64, "d"},
    {DType::Complex64, "Zf"}, {DType::Complex128, "Zd"},
};

DType dtype_with(uint32_t code, Py_ssize_t item_bytes) {
  return static_cast<DType>(code | static_cast<uint32_t>(item_bytes) * 8 << 8 | 1 << 16);
}

// The dtype of a format without its byte order; the size is the buffer's item size.
std::optional<DType> dtype_of_format(std::string_view format, Py_ssize_t item_bytes) {
  DType dtype{};
  if (format == "?") {
    dtype = DType::Bool;
  } else if (format == "c") {
    dtype = DType::UInt8;
  } else if (format == "Zf" || format == "Zd") {
    dtype = dtype_with(kOpwDtypeComplex, item_bytes);
  } else if (format.size() == 1 && std::strchr("bhilqn", format[0])) {
    dtype = dtype_with(kOpwDtypeInt, item_bytes);
  } else if (format.size() == 1 && std::strchr("BHILQN", format[0])) {
    dtype = dtype_with(kOpwDtypeUInt, item_bytes);
  } else if (format.size() == 1 && std::strchr("efd", format[0])) {
    dtype = dtype_with(kOpwDtypeFloat, item_bytes);
  }
  const bool fits = is_known(dtype) && item_size(dtype) == static_cast<size_t>(item_bytes);
  return fits ? std::optional(dtype) : std::nullopt;
}

// The name of the elements in errors: NumPy's dtype if there is one.
std::string elements_text(PyObject* object, const char* format) {
  PyObject* dtype = PyObject_GetAttrString(object, "dtype");
  PyObject* text = dtype ? PyObject_Str(dtype) : nullptr;
  const char* characters = text ? PyUnicode_AsUTF8(text) : nullptr;
  std::string result = characters ? concatenate("NumPy's ", characters)
                                  : concatenate("the buffer format '", format, "'");
  Py_XDECREF(text);
  Py_XDECREF(dtype);
  PyErr_Clear();
  return result;
}

DType dtype_of_buffer(PyObject* object, const Py_buffer& buffer, const char* who) {
  std::string_view format = buffer.format ? buffer.format : "B";
  const char order = format.empty() ? '@' : format[0];
  if (std::strchr("@=<>!^", order) && !format.empty()) format.remove_prefix(1);
  const std::optional<DType> dtype = dtype_of_format(format, buffer.itemsize);
  OPWRIGHT_CHECK_TYPE(dtype, who, ": no dtype corresponds to ",
                      elements_text(object, buffer.format));
  OPWRIGHT_CHECK_VALUE((order != '>' && order != '!') || buffer.itemsize == 1, who, ": ",
                       elements_text(object, buffer.format),
                       " has the byte order of another machine; convert it first, e.g. with "
                       "array.astype(array.dtype.newbyteorder('='))");
  return *dtype;
}

// ---- Memory ----

void check_aligned(const void* data, DType dtype, const char* who) {
  const size_t alignment = is_complex(dtype) ? item_size(dtype) / 2 : item_size(dtype);
  OPWRIGHT_CHECK_VALUE(reinterpret_cast<uintptr_t>(data) % alignment == 0, who, ": the data of a ",
                       dtype, " tensor must be aligned to ", alignment, " bytes; copy it first");
}

// `holder` keeps the memory alive.
Tensor tensor_over(void* data, std::span<const int64_t> sizes, std::span<const int64_t> strides,
                   DType dtype, bool is_read_only, nanobind::object holder) {
  Tensor tensor = make_from_memory(
      data, sizes, strides, dtype, kCpu,
      [](void* context) { drop_reference(static_cast<PyObject*>(context)); }, give(holder));
  if (is_read_only) {
    impl(tensor).storage->is_read_only = true;
    impl(tensor).flags |= kOpwFlagReadOnly;
  }
  return tensor;
}

Sizes strides_of_buffer(const Py_buffer& buffer, const Sizes& sizes, const char* who) {
  if (!buffer.strides) return contiguous_strides(sizes);
  Sizes strides;
  for (int i = 0; i < buffer.ndim; ++i) {
    OPWRIGHT_CHECK_VALUE(buffer.strides[i] % buffer.itemsize == 0 || buffer.shape[i] <= 1, who,
                         ": the stride of dimension ", i, " is ", buffer.strides[i],
                         " bytes, which is not a multiple of the element's ", buffer.itemsize,
                         "; copy the array first");
    strides.push_back(buffer.strides[i] / buffer.itemsize);
  }
  return strides;
}

// Types that NumPy knows only through a plug-in have no buffer; their bytes do.
std::optional<DType> plugin_dtype(PyObject* array) {
  const nanobind::object dtype = own(PyObject_GetAttrString(array, "dtype"));
  const nanobind::object name = own(PyObject_GetAttrString(dtype.ptr(), "name"));
  for (const DType each : {DType::BFloat16, DType::Float8E4M3FN, DType::Float8E5M2}) {
    if (PyUnicode_CompareWithASCIIString(name.ptr(), dtype_name_or_null(each)) == 0) return each;
  }
  return std::nullopt;
}

// A memoryview holds the buffer, so releasing it is dropping a reference. `dtype` is set if the
// buffer shows the bits of a dtype without a format.
nanobind::object view_of(PyObject* object, std::optional<DType>& dtype, const char* who) {
  PyObject* view = PyMemoryView_FromObject(object);
  if (view || !is_numpy_array(object)) return own(view);
  PyErr_Clear();  // NumPy's own message does not name the dtype
  dtype = plugin_dtype(object);
  OPWRIGHT_CHECK_TYPE(dtype, who, ": no dtype corresponds to ", elements_text(object, "?"));
  const char* bits = item_size(*dtype) == 1 ? "uint8" : "uint16";
  return own(PyMemoryView_FromObject(own(PyObject_CallMethod(object, "view", "s", bits)).ptr()));
}

// ---- DLPack ----

template <class Managed>
Tensor consume(PyObject* capsule, const char* name, const char* used_name) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (!managed) throw_python_error();
  require_no_error(PyCapsule_SetName(capsule, used_name));  // its destructor then does nothing
  return from_dlpack(managed);
}

Tensor consume_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    return consume<DlManagedTensorVersioned>(capsule, "dltensor_versioned",
                                             "used_dltensor_versioned");
  }
  if (PyCapsule_IsValid(capsule, "dltensor"))
    return consume<DlManagedTensor>(capsule, "dltensor", "used_dltensor");
  const char* name = PyCapsule_GetName(capsule);
  const std::string_view text = name ? name : "";
  OPWRIGHT_CHECK_VALUE(!text.starts_with("used_dltensor"),
                       "from_dlpack: the capsule was consumed already; a capsule can be used once");
  throw_error("ValueError", "from_dlpack: a capsule named '", text,
              "' is not a DLPack tensor; expected 'dltensor' or 'dltensor_versioned'");
}

// The stream that the producer must synchronize with, as DLPack numbers it; none for the CPU.
nanobind::object consumer_stream(PyObject* object) {
  PyObject* answer = PyObject_CallMethod(object, "__dlpack_device__", nullptr);
  if (!answer) {  // older producers do not have it
    PyErr_Clear();
    return {};
  }
  const nanobind::object device = nanobind::steal(answer);
  int type = 0;
  int index = 0;
  if (!PyArg_ParseTuple(device.ptr(), "ii", &type, &index)) throw_python_error();
  if (type == kOpwDeviceCpu || !find_device_table(type) || !has_streams(Device(type, index)))
    return {};
  OpwStream* stream = current_device_stream(Device(type, index));
  constexpr int kLegacyDefaultStream = 1;
  return own(stream ? PyLong_FromVoidPtr(stream) : PyLong_FromLong(kLegacyDefaultStream));
}

nanobind::object make_memory_capsule(PyObject* object) {
  const nanobind::object method = own(PyObject_GetAttrString(object, "__dlpack__"));
  const nanobind::object stream = consumer_stream(object);
  const nanobind::object empty = own(PyTuple_New(0));
  nanobind::object kwargs = own(PyDict_New());
  if (stream.is_valid())
    require_no_error(PyDict_SetItemString(kwargs.ptr(), "stream", stream.ptr()));
  const nanobind::object old_kwargs = own(PyDict_Copy(kwargs.ptr()));
  const nanobind::object version = own(Py_BuildValue("(ii)", static_cast<int>(kDlVersion.major),
                                                     static_cast<int>(kDlVersion.minor)));
  require_no_error(PyDict_SetItemString(kwargs.ptr(), "max_version", version.ptr()));
  PyObject* capsule = PyObject_Call(method.ptr(), empty.ptr(), kwargs.ptr());
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {  // before version 1
    PyErr_Clear();
    capsule = PyObject_Call(method.ptr(), empty.ptr(), old_kwargs.ptr());
  }
  return own(capsule);
}

}  // namespace

const char* buffer_format(DType dtype) noexcept {
  for (const Format& each : kFormats) {
    if (each.dtype == dtype) return each.text;
  }
  return nullptr;
}

Tensor tensor_over_buffer(PyObject* object, const char* who) {
  std::optional<DType> known_dtype;
  nanobind::object view = view_of(object, known_dtype, who);
  const Py_buffer& buffer = *PyMemoryView_GET_BUFFER(view.ptr());
  OPWRIGHT_CHECK_VALUE(!buffer.suboffsets, who,
                       ": a buffer of pointers (suboffsets) has no strides");
  const DType dtype = known_dtype ? *known_dtype : dtype_of_buffer(object, buffer, who);
  const Sizes sizes(buffer.shape, buffer.shape + buffer.ndim);
  const Sizes strides = strides_of_buffer(buffer, sizes, who);
  if (product(sizes) != 0) check_aligned(buffer.buf, dtype, who);
  void* data = buffer.buf;
  const bool is_read_only = buffer.readonly != 0;
  return adopt(tensor_over(data, sizes, strides, dtype, is_read_only, std::move(view)));
}

Tensor tensor_over_bytes(PyObject* object, DType dtype, int64_t count, int64_t offset,
                         const char* who) {
  OPWRIGHT_CHECK_TYPE(PyObject_CheckBuffer(object), who,
                      ": the buffer must be an object with the "
                      "buffer protocol, got ",
                      class_name(object));
  nanobind::object view = own(PyMemoryView_FromObject(object));
  const Py_buffer& buffer = *PyMemoryView_GET_BUFFER(view.ptr());
  OPWRIGHT_CHECK_VALUE(PyBuffer_IsContiguous(&buffer, 'C'), who, ": the buffer must be contiguous");
  OPWRIGHT_CHECK_VALUE(offset >= 0 && offset <= buffer.len, who,
                       ": offset must lie in the buffer of ", buffer.len, " bytes, got ", offset);
  const auto item = static_cast<int64_t>(item_size(dtype));
  const int64_t available = buffer.len - offset;
  OPWRIGHT_CHECK_VALUE(count >= -1, who, ": count must be -1 or more, got ", count);
  OPWRIGHT_CHECK_VALUE(count >= 0 || available % item == 0, who, ": ", available,
                       " bytes are not a whole number of ", dtype, " elements; give count");
  if (count < 0) count = available / item;
  OPWRIGHT_CHECK_VALUE(count <= available / item, who, ": ", count, " elements of ", dtype,
                       " need more than the ", available, " bytes behind offset ", offset);
  auto* data = static_cast<std::byte*>(buffer.buf) + offset;
  if (count > 0) check_aligned(data, dtype, who);
  const bool is_read_only = buffer.readonly != 0;
  const int64_t stride = 1;
  return tensor_over(data, {&count, 1}, {&stride, 1}, dtype, is_read_only, std::move(view));
}

Tensor tensor_over_dlpack(PyObject* object) {
  if (PyCapsule_CheckExact(object)) return adopt(consume_capsule(object));
  OPWRIGHT_CHECK_TYPE(PyObject_HasAttrString(object, "__dlpack__"),
                      "from_dlpack: expected an object with __dlpack__ or a capsule, got ",
                      class_name(object));
  const nanobind::object capsule = make_memory_capsule(object);
  OPWRIGHT_CHECK_TYPE(PyCapsule_CheckExact(capsule.ptr()), "from_dlpack: __dlpack__ of ",
                      class_name(object), " gave ", class_name(capsule.ptr()),
                      " instead of a capsule");
  return adopt(consume_capsule(capsule.ptr()));
}

std::optional<Tensor> tensor_over_object(PyObject* object, const char* who) {
  if (PyList_Check(object) || PyTuple_Check(object) || PyUnicode_Check(object) ||
      PyFloat_CheckExact(object) || PyLong_CheckExact(object)) {
    return std::nullopt;
  }
  if (is_numpy_array(object) || PyObject_CheckBuffer(object))
    return tensor_over_buffer(object, who);
  if (PyObject_HasAttrString(object, "__dlpack__")) return tensor_over_dlpack(object);
  if (PyObject_HasAttrString(object, "__array__") && !PyType_Check(object)) {
    const nanobind::object array = own(PyObject_CallMethod(object, "__array__", nullptr));
    OPWRIGHT_CHECK_TYPE(is_numpy_array(array.ptr()), who, ": __array__ of ", class_name(object),
                        " gave ", class_name(array.ptr()), " instead of a NumPy array");
    return tensor_over_buffer(array.ptr(), who);
  }
  return std::nullopt;
}

}  // namespace opwright::python
