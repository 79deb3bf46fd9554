#include "bindings/device/device_kernel.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/lock.h"
#include "bindings/interpreter/python_type.h"
#include "bindings/object/element.h"
#include "bindings/object/method.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/value.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ops/engine/device/device_kernel.h"
#include "opwright/tensor/device/device_table.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// The arguments of one launch. Numbers get the types that the docstring lists.
class LaunchArguments {
 public:
  explicit LaunchArguments(const std::string& kernel) : kernel_(kernel) {}

  void add(PyObject* object) {
    if (is_tensor(object)) {
      add_tensor(object);
    } else if (PyBool_Check(object)) {
      add_value(static_cast<uint8_t>(object == Py_True));
    } else if (PyLong_Check(object)) {
      add_int(object);
    } else if (PyFloat_CheckExact(object)) {
      add_value(static_cast<float>(PyFloat_AS_DOUBLE(object)));
    } else if (PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 2 &&
               Py_TYPE(PyTuple_GET_ITEM(object, 1)) == dtype_type) {
      add_typed(PyTuple_GET_ITEM(object, 0), as_dtype(PyTuple_GET_ITEM(object, 1)));
    } else if (!add_bytes(object)) {
      throw_error(
          "TypeError", "source kernel ", kernel_, ": argument ", position(),
          " must be a tensor, a number, (number, dtype) or a value of NumPy or ctypes, got ",
          class_name(object));
    }
  }

  // The device of the tensors; empty if there are none.
  [[nodiscard]] std::optional<Device> device() const { return device_; }
  [[nodiscard]] const std::vector<OpwKernelArgument>& get() const { return arguments_; }

 private:
  [[nodiscard]] size_t position() const { return arguments_.size() + 1; }

  void add_tensor(PyObject* object) {
    const LentTensor tensor(object);
    OPWRIGHT_CHECK(!tensor->is_fake(), "source kernel ", kernel_, ": argument ", position(),
                   " has no memory\n  Call the kernel in a custom operator and give that a fake "
                   "kernel.");
    if (!device_) device_ = tensor->device();
    OPWRIGHT_CHECK_VALUE(tensor->device() == *device_, "source kernel ", kernel_, ": argument ",
                         position(), " is on ", tensor->device(), ", but one before it is on ",
                         *device_);
    arguments_.push_back({tensor->data(), 0});
  }

  void add_int(PyObject* object) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) {
      throw_error("OverflowError", "source kernel ", kernel_, ": argument ", position(),
                  " does not fit into 64 bits");
    }
    if (std::in_range<int32_t>(value)) {
      add_value(static_cast<int32_t>(value));
    } else {
      add_value(int64_t{value});
    }
  }

  void add_typed(PyObject* number, DType dtype) {
    Bytes& bytes = bytes_.emplace_back();
    write_element(bytes.data(), dtype, number);
    arguments_.push_back({bytes.data(), item_size(dtype)});
  }

  // Scalars of NumPy, numbers and structures of ctypes.
  bool add_bytes(PyObject* object) {
    Py_buffer view{};
    if (!PyObject_CheckBuffer(object)) return false;
    if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) != 0) {
      PyErr_Clear();
      return false;
    }
    const bool is_value =
        PyBytes_Check(object) == 0 && view.len > 0 && static_cast<size_t>(view.len) <= kMostBytes;
    if (is_value) {
      Bytes& bytes = bytes_.emplace_back();
      std::memcpy(bytes.data(), view.buf, static_cast<size_t>(view.len));
      arguments_.push_back({bytes.data(), static_cast<size_t>(view.len)});
    }
    PyBuffer_Release(&view);
    return is_value;
  }

  template <class T>
  void add_value(T value) {
    Bytes& bytes = bytes_.emplace_back();
    std::memcpy(bytes.data(), &value, sizeof value);
    arguments_.push_back({bytes.data(), sizeof value});
  }

  static constexpr size_t kMostBytes = 128;
  using Bytes = std::array<std::byte, kMostBytes>;

  const std::string& kernel_;
  std::optional<Device> device_;
  std::vector<OpwKernelArgument> arguments_;
  std::deque<Bytes> bytes_;  // values do not move
};

// An int or up to three of them, each at least `least`.
void read_extents(PyObject* given, const char* what, long long least, uint64_t (&to)[3]) {
  to[0] = to[1] = to[2] = 1;
  const auto read_one = [&](PyObject* object, size_t place) {
    const long long value = PyLong_Check(object) ? PyLong_AsLongLong(object) : -1;
    if (PyErr_Occurred()) throw_python_error();
    OPWRIGHT_CHECK_VALUE(value >= least, "source kernel: ", what, " must be an int of at least ",
                         least, " or up to three of them, got ",
                         nb::repr(nb::handle(given)).c_str());
    to[place] = static_cast<uint64_t>(value);
  };
  if (!PyTuple_Check(given) && !PyList_Check(given)) return read_one(given, 0);
  const nb::object sequence = own(PySequence_Tuple(given));
  const Py_ssize_t size = PyTuple_GET_SIZE(sequence.ptr());
  OPWRIGHT_CHECK_VALUE(size >= 1 && size <= 3, "source kernel: ", what,
                       " must be an int of at least ", least, " or up to three of them, got ",
                       nb::repr(nb::handle(given)).c_str());
  for (Py_ssize_t i = 0; i < size; ++i)
    read_one(PyTuple_GET_ITEM(sequence.ptr(), i), static_cast<size_t>(i));
}

class SourceKernelObject {
 public:
  SourceKernelObject(const nb::object& device, std::string source, std::string name,
                     std::string options)
      : device_(parse_device_object(device.ptr())),
        source_(std::move(source)),
        name_(std::move(name)),
        options_(std::move(options)) {}

  // Compiles for the device now instead of at the first launch.
  void build() { (void)built_for(resolve_device(device_)); }

  void launch(const nb::object& groups, const nb::object& group_size, const nb::args& args,
              uint64_t shared_bytes) {
    LaunchArguments arguments(name_);
    for (const nb::handle each : args) arguments.add(each.ptr());
    const Device device = device_of(arguments);
    OpwLaunch launch{};
    launch.struct_size = sizeof launch;
    launch.num_arguments = static_cast<uint32_t>(arguments.get().size());
    launch.arguments = arguments.get().data();
    launch.shared_bytes = shared_bytes;
    read_extents(groups.ptr(), "groups", 0, launch.groups);
    if (!group_size.is_none()) read_extents(group_size.ptr(), "group_size", 1, launch.group_size);
    launch_device_kernel(device, built_for(device), launch);
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] Device device() const { return device_; }

 private:
  Device device_of(const LaunchArguments& arguments) const {
    if (!arguments.device()) return resolve_device(device_);
    const Device found = *arguments.device();
    OPWRIGHT_CHECK_VALUE(
        found.type == device_.type && (device_.index < 0 || device_.index == found.index),
        "source kernel ", name_, ": its tensors are on ", found, ", but it is one for ", device_);
    return found;
  }

  OpwDeviceKernel* built_for(Device device) {
    OpwDeviceKernel*& kernel = kernels_[device.index];
    if (!kernel) kernel = build_device_kernel(device, source_, name_, options_);
    return kernel;
  }

  Device device_;
  std::string source_;
  std::string name_;
  std::string options_;
  std::map<int32_t, OpwDeviceKernel*> kernels_;  // by index; under the GIL
};

constexpr const char* kDeviceKernelDoc =
    "A kernel in the language of a device: OpenCL C for \"opencl\", CUDA C++ for \"cuda\".\n\n"
    "`name` is the kernel in `source`; `options` are for the compiler, which runs at the first\n"
    "launch. Call it as `kernel(groups, group_size, *args)`: both are an int or up to three; with\n"
    "group_size None the device chooses and groups counts elements. 0 groups run nothing.\n\n"
    "A tensor is passed as a pointer to its memory, a bool as one byte, an int as int32 or, if it\n"
    "does not fit, int64, a float as float32, (number, dtype) as that dtype, and NumPy and ctypes\n"
    "values as their bytes. Launches are queued on the current stream. In a custom operator it\n"
    "is a kernel for that device.\n\n"
    ">>> import opwright as ow\n"
    ">>> text = '''kernel void scale(global float* x, float factor) {\n"
    "...     x[get_global_id(0)] *= factor;\n"
    "... }'''\n"
    ">>> scale = ow.SourceKernel('opencl', text, 'scale')\n"
    ">>> if ow.is_available('opencl'):\n"
    "...     x = ow.ones(3, device='opencl')\n"
    "...     scale(3, None, x, 2.5)\n"
    "...     assert x.tolist() == [2.5, 2.5, 2.5]\n";

}  // namespace

void bind_device_kernel(nb::module_& m) {
  nb::class_<SourceKernelObject>(m, "SourceKernel", kDeviceKernelDoc)
      .def(nb::init<const nb::object&, std::string, std::string, std::string>(), nb::arg("device"),
           nb::arg("source"), nb::arg("name"), nb::arg("options") = "")
      .def("build", &SourceKernelObject::build, "Compile now instead of at the first launch.")
      .def("__call__", &SourceKernelObject::launch, nb::arg("groups"), nb::arg("group_size").none(),
           nb::arg("args"), nb::kw_only(), nb::arg("shared_bytes") = 0,
           "Queue one launch on the device's current stream.")
      .def_prop_ro("name", &SourceKernelObject::name, "The kernel's name in the source.")
      .def_prop_ro("source", &SourceKernelObject::source, "The source text.")
      .def_prop_ro(
          "device",
          [](const SourceKernelObject& self) { return nb::steal(to_python(self.device())); },
          "The kernel's device.")
      .def("__repr__", [](const SourceKernelObject& self) {
        return concatenate("SourceKernel('", self.name(), "', device='", self.device(), "')");
      });
}

}  // namespace opwright::python
