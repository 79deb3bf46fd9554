#include "bindings/object/tensor_conversion.h"

#include <utility>

#include "bindings/object/method.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/value.h"
#include "opwright/base/thread_state.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright::python {
namespace {

bool is_in_format(const Tensor& tensor, MemoryFormat format) {
  if (format == MemoryFormat::Preserve) return true;
  const SymGeometry geometry = sym_geometry_of(tensor);
  return is_contiguous(geometry.sizes, geometry.strides, format);
}

Tensor converted_copy(const Tensor& tensor, const Conversion& conversion) {
  return _to_copy(tensor, conversion.dtype, std::nullopt, conversion.device, std::nullopt,
                  conversion.non_blocking, conversion.memory_format);
}

// ---- The arguments of x.to() ----

bool reads_as_dtype(PyObject* object) {
  return Py_TYPE(object) == dtype_type || PyType_Check(object) ||
         (!PyUnicode_Check(object) && PyObject_HasAttrString(object, "kind") &&
          PyObject_HasAttrString(object, "itemsize"));
}

bool read_flag(PyObject* object, const char* name) {
  OPWRIGHT_CHECK_TYPE(PyBool_Check(object) || PyLong_Check(object), "to: ", name,
                      " must be a bool, got ", class_name(object));
  return PyObject_IsTrue(object) == 1;
}

Device read_device(PyObject* object) {
  if (PyLong_Check(object) && !PyBool_Check(object)) {  // the index of an accelerator
    const int index = static_cast<int>(PyLong_AsLong(object));
    if (index == -1 && PyErr_Occurred()) throw_python_error();
    return Device(kOpwDeviceCuda, index);
  }
  return parse_device_object(object);
}

// Reads the arguments of `to` one by one; each may be given once.
class ToArguments {
 public:
  void take_positional(PyObject* args) {
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    Py_ssize_t next = 0;
    if (count > 0) {
      PyObject* first = PyTuple_GET_ITEM(args, next++);
      if (is_tensor(first)) {
        set("other", first);
      } else if (reads_as_dtype(first)) {
        set("dtype", first);
      } else {
        set("device", first);
        if (next < count && !PyBool_Check(PyTuple_GET_ITEM(args, next)))
          set("dtype", PyTuple_GET_ITEM(args, next++));
      }
    }
    for (const char* name : {"non_blocking", "copy"}) {
      if (next < count) set(name, PyTuple_GET_ITEM(args, next++));
    }
    OPWRIGHT_CHECK_TYPE(next == count, "to: it takes at most ", next,
                        " positional arguments of these kinds, got ", count);
  }
  void take_keywords(PyObject* kwargs) {
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    for (Py_ssize_t at = 0; kwargs && PyDict_Next(kwargs, &at, &key, &value);)
      set(require_text(key), value);
  }
  [[nodiscard]] const Conversion& conversion() const noexcept { return conversion_; }

 private:
  static std::string_view require_text(PyObject* key) {
    const char* text = PyUnicode_AsUTF8(key);
    if (!text) throw_python_error();
    return text;
  }

  void set(std::string_view name, PyObject* value) {
    if (name == "device") {
      note(kDevice, name);
      if (value != Py_None) conversion_.device = read_device(value);
    } else if (name == "dtype") {
      note(kDtype, name);
      if (value != Py_None) conversion_.dtype = parse_dtype(value);
    } else if (name == "other" || name == "tensor") {  // PyTorch uses both
      note(kDevice | kDtype, name);
      OPWRIGHT_CHECK_TYPE(is_tensor(value), "to: other must be a Tensor, got ", class_name(value));
      const LentTensor other(value);
      conversion_.device = other->device();
      conversion_.dtype = other->dtype();
    } else if (name == "non_blocking") {
      note(kNonBlocking, name);
      conversion_.non_blocking = read_flag(value, "non_blocking");
    } else if (name == "copy") {
      note(kCopy, name);
      conversion_.copy = read_flag(value, "copy");
    } else if (name == "memory_format") {
      if (value == Py_None) return;
      OPWRIGHT_CHECK_TYPE(Py_TYPE(value) == memory_format_type,
                          "to: memory_format must be a memory_format, got ", class_name(value));
      conversion_.memory_format = as_memory_format(value);
    } else {
      throw_error("TypeError", "to: it has no argument '", name,
                  "'; it takes device, dtype, other, non_blocking, copy and memory_format");
    }
  }
  void note(uint32_t bits, std::string_view name) {
    OPWRIGHT_CHECK_TYPE(!(given_ & bits), "to: ", name, " was given twice");
    given_ |= bits;
  }

  static constexpr uint32_t kDevice = 1, kDtype = 2, kNonBlocking = 4, kCopy = 8;
  Conversion conversion_;
  uint32_t given_ = 0;
};

// `self` itself if nothing changes.
PyObject* convert_object(PyObject* self, const Conversion& conversion) {
  const Tensor tensor = handle_of(self);
  if (!conversion.copy && is_converted(tensor, conversion)) return Py_NewRef(self);
  return require(wrap(converted_copy(tensor, conversion)));
}

PyObject* to(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    ToArguments arguments;
    arguments.take_positional(args);
    arguments.take_keywords(kwargs);
    return convert_object(self, arguments.conversion());
  });
}

std::optional<MemoryFormat> read_format(PyObject* object, const char* who) {
  if (!is_given(object)) return std::nullopt;
  OPWRIGHT_CHECK_TYPE(Py_TYPE(object) == memory_format_type, who,
                      ": memory_format must be a memory_format, got ", class_name(object));
  return as_memory_format(object);
}

PyObject* cpu(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"memory_format", nullptr};
    PyObject* format = nullptr;
    parse_arguments(args, kwargs, "|O:cpu", names, &format);
    return convert_object(self, {.device = kCpu, .memory_format = read_format(format, "cpu")});
  });
}

PyObject* cuda(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"device", "non_blocking", "memory_format", nullptr};
    PyObject* device = nullptr;
    PyObject* format = nullptr;
    int non_blocking = 0;
    parse_arguments(args, kwargs, "|OpO:cuda", names, &device, &non_blocking, &format);
    const Device target = is_given(device) ? read_device(device) : Device(kOpwDeviceCuda);
    OPWRIGHT_CHECK_VALUE(target.type == kOpwDeviceCuda, "cuda: the device must be a cuda one, got ",
                         target);
    if (!LentTensor(self)->is_fake()) (void)device_table(kOpwDeviceCuda);
    return convert_object(self, {.device = target,
                                 .non_blocking = non_blocking != 0,
                                 .memory_format = read_format(format, "cuda")});
  });
}

// PyTorch's names of tensors of a dtype: torch.FloatTensor.
struct TypeName {
  DType dtype;
  const char* name;
};
constexpr TypeName kTypeNames[] = {
    {DType::Float32, "FloatTensor"},
    {DType::Float64, "DoubleTensor"},
    {DType::Float16, "HalfTensor"},
    {DType::BFloat16, "BFloat16Tensor"},
    {DType::Int64, "LongTensor"},
    {DType::Int32, "IntTensor"},
    {DType::Int16, "ShortTensor"},
    {DType::Int8, "CharTensor"},
    {DType::UInt8, "ByteTensor"},
    {DType::Bool, "BoolTensor"},
    {DType::Complex64, "ComplexFloatTensor"},
    {DType::Complex128, "ComplexDoubleTensor"},
};

std::string type_prefix(const Device& device) {
  return device.type == kOpwDeviceCpu ? "torch."
                                      : concatenate("torch.", find_device_name(device.type), ".");
}

std::string type_name(const Tensor& tensor) {
  for (const TypeName& each : kTypeNames) {
    if (each.dtype == tensor.dtype()) return type_prefix(tensor.device()) + each.name;
  }
  return concatenate(type_prefix(tensor.device()), tensor.dtype(), "Tensor");
}

// The dtype of an object, of PyTorch's name of a type on the same device, or of a class of tensors
// of one dtype (torch.FloatTensor).
DType read_type(PyObject* object, const Device& device) {
  if (PyUnicode_Check(object)) {
    const std::string prefix = type_prefix(device);
    for (const TypeName& each : kTypeNames) {
      if (PyUnicode_CompareWithASCIIString(object, (prefix + each.name).c_str()) == 0)
        return each.dtype;
    }
  }
  if (PyType_Check(object) && PyObject_HasAttrString(object, "dtype")) {
    return parse_dtype(own(PyObject_GetAttrString(object, "dtype")).ptr());
  }
  return parse_dtype(object);
}

PyObject* type(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"dtype", "non_blocking", nullptr};
    PyObject* dtype = nullptr;
    int non_blocking = 0;
    parse_arguments(args, kwargs, "|Op:type", names, &dtype, &non_blocking);
    const Tensor tensor = handle_of(self);
    if (!is_given(dtype)) return require(PyUnicode_FromString(type_name(tensor).c_str()));
    return convert_object(
        self, {.dtype = read_type(dtype, tensor.device()), .non_blocking = non_blocking != 0});
  });
}

template <DType dtype>
PyObject* converted_to(PyObject* self, PyObject* /*args*/) {
  return guarded([&] { return convert_object(self, {.dtype = dtype}); });
}

const PyMethodDef kConversionMethods[] = {
    {"to", as_method(to), kKeywords,
     "Convert to a dtype, a device, or both of another tensor; returns this tensor if nothing "
     "changes.\n\n"
     "Call it as to(dtype), to(device, dtype) or to(other), each with non_blocking, copy and\n"
     "memory_format.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.5, 2.5]).to(ow.int64)\n"
     "tensor([1, 2])\n"},
    {"cpu", as_method(cpu), kKeywords,
     "cpu($self, memory_format=None)\n--\n\n"
     "Move to the CPU; returns the tensor itself if it is already there.\n\n"
     ">>> import opwright as ow\n"
     ">>> x = ow.tensor([1.0])\n"
     ">>> x.cpu() is x\n"
     "True\n"},
    {"cuda", as_method(cuda), kKeywords,
     "cuda($self, device=None, non_blocking=False, memory_format=None)\n--\n\n"
     "Move to a CUDA device.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.0]).cuda('cpu')\n"
     "Traceback (most recent call last):\n"
     "ValueError: cuda: the device must be a cuda one, got cpu\n"},
    {"type", as_method(type), kKeywords,
     "type($self, dtype=None, non_blocking=False)\n--\n\n"
     "Convert to a dtype; without one, return PyTorch's name of the type.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1, 2]).type(ow.float32)\n"
     "tensor([1., 2.])\n"
     ">>> ow.tensor([1, 2]).type()\n"
     "'torch.LongTensor'\n"},
    {"cfloat", as_method(converted_to<DType::Complex64>), METH_NOARGS,
     "cfloat($self, /)\n--\n\n"
     "Convert to complex64.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1, 2]).cfloat().dtype\n"
     "opwright.complex64\n"},
    {"cdouble", as_method(converted_to<DType::Complex128>), METH_NOARGS,
     "cdouble($self, /)\n--\n\n"
     "Convert to complex128.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1, 2]).cdouble().dtype\n"
     "opwright.complex128\n"},
    {"double", as_method(converted_to<DType::Float64>), METH_NOARGS,
     "double($self, /)\n--\n\n"
     "Convert to float64.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1, 2]).double().dtype\n"
     "opwright.float64\n"},
    {"float", as_method(converted_to<DType::Float32>), METH_NOARGS,
     "float($self, /)\n--\n\n"
     "Convert to float32.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1, 2]).float()\n"
     "tensor([1., 2.])\n"},
    {"half", as_method(converted_to<DType::Float16>), METH_NOARGS,
     "half($self, /)\n--\n\n"
     "Convert to float16.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1, 2]).half().dtype\n"
     "opwright.float16\n"},
    {"bfloat16", as_method(converted_to<DType::BFloat16>), METH_NOARGS,
     "bfloat16($self, /)\n--\n\n"
     "Convert to bfloat16.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1, 2]).bfloat16().dtype\n"
     "opwright.bfloat16\n"},
    {"long", as_method(converted_to<DType::Int64>), METH_NOARGS,
     "long($self, /)\n--\n\n"
     "Convert to int64.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.5, 2.5]).long()\n"
     "tensor([1, 2])\n"},
    {"int", as_method(converted_to<DType::Int32>), METH_NOARGS,
     "int($self, /)\n--\n\n"
     "Convert to int32.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.5, 2.5]).int().dtype\n"
     "opwright.int32\n"},
    {"short", as_method(converted_to<DType::Int16>), METH_NOARGS,
     "short($self, /)\n--\n\n"
     "Convert to int16.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.5, 2.5]).short().dtype\n"
     "opwright.int16\n"},
    {"char", as_method(converted_to<DType::Int8>), METH_NOARGS,
     "char($self, /)\n--\n\n"
     "Convert to int8.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.5, 2.5]).char().dtype\n"
     "opwright.int8\n"},
    {"byte", as_method(converted_to<DType::UInt8>), METH_NOARGS,
     "byte($self, /)\n--\n\n"
     "Convert to uint8.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([1.5, 2.5]).byte().dtype\n"
     "opwright.uint8\n"},
    {"bool", as_method(converted_to<DType::Bool>), METH_NOARGS,
     "bool($self, /)\n--\n\n"
     "Convert to bool.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.tensor([0, 2]).bool()\n"
     "tensor([False,  True])\n"},
};

}  // namespace

bool is_converted(const Tensor& tensor, const Conversion& conversion) {
  return (!conversion.dtype || *conversion.dtype == tensor.dtype()) &&
         (!conversion.device || resolve_device(*conversion.device) == tensor.device()) &&
         is_in_format(tensor, conversion.memory_format.value_or(MemoryFormat::Preserve));
}

Tensor convert(const Tensor& tensor, const Conversion& conversion) {
  if (!conversion.copy && is_converted(tensor, conversion)) return tensor;
  return converted_copy(tensor, conversion);
}

Conversion read_conversion(PyObject* dtype, PyObject* device) {
  Conversion conversion;
  if (is_given(dtype)) conversion.dtype = parse_dtype(dtype);
  if (is_given(device)) conversion.device = read_device(device);
  return conversion;
}

Tensor detached(const Tensor& tensor) {
  const AttentionScope no_grad(kAttentionGradOff, true);
  return detach(tensor);
}

Tensor detached_copy(const Tensor& tensor, const Conversion& conversion) {
  const AttentionScope no_grad(kAttentionGradOff, true);
  return converted_copy(tensor, conversion);
}

void add_conversion_slots(TensorSlots& out) {
  out.methods.insert(out.methods.end(), std::begin(kConversionMethods),
                     std::end(kConversionMethods));
}

}  // namespace opwright::python
