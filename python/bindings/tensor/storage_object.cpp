#include "bindings/tensor/storage_object.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/object/fake_mode.h"
#include "bindings/object/foreign_memory.h"
#include "bindings/object/method.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/tensor_conversion.h"
#include "bindings/object/tensor_slots.h"
#include "bindings/object/value.h"
#include "opwright/autograd/history.h"
#include "opwright/base/thread_state.h"
#include "opwright/functions.h"
#include "opwright/grad_mode.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/transforms/trace/data_access.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// What Python holds of a Storage: a tensor over it.
class StorageObject {
 public:
  explicit StorageObject(Tensor tensor)
      : tensor_(std::move(tensor)), storage_(StoragePtr::share(impl(tensor_).storage)) {}

  [[nodiscard]] const Tensor& tensor() const { return tensor_; }

  [[nodiscard]] const Storage& get() const { return *storage_; }
  [[nodiscard]] uintptr_t address() const { return reinterpret_cast<uintptr_t>(storage_->data); }
  [[nodiscard]] nb::object size() const {
    OPWRIGHT_CHECK(storage_->nbytes != kUnknownBytes,
                   "UntypedStorage: the size of a fake tensor's storage is symbolic");
    return nb::int_(storage_->nbytes);
  }
  [[nodiscard]] bool is_same(const StorageObject& other) const {
    return storage_.get() == other.storage_.get();
  }

 private:
  Tensor tensor_;       // without autograd data
  StoragePtr storage_;  // the tensor's contents may be replaced
};

uint8_t read_byte(const StorageObject& self, Py_ssize_t index) {
  const Storage& storage = self.get();
  OPWRIGHT_CHECK(storage.data && storage.device.type == kOpwDeviceCpu,
                 "UntypedStorage: only the bytes of memory on the CPU can be read");
  const auto length = static_cast<Py_ssize_t>(storage.nbytes);
  const Py_ssize_t at = index < 0 ? index + length : index;
  OPWRIGHT_CHECK_INDEX(at >= 0 && at < length, "UntypedStorage: index ", index,
                       " is out of range for ", length, " bytes");
  return static_cast<const uint8_t*>(storage.data)[at];
}

// Of a plain tensor, outside of all transforms and modes, which see calls and not memory.
StorageObject memory_of(const Tensor& tensor) {
  const ThreadStateScope outside(ThreadState{});
  return StorageObject(detached(tensor));
}

PyObject* untyped_storage(PyObject* self, PyObject* /*args*/) {
  return guarded([&] {
    const LentTensor tensor(self);
    make_data_real("untyped_storage", *tensor);
    if (impl(*tensor).is_wrapper()) throw_no_data("untyped_storage", *tensor);
    return nb::cast(memory_of(*tensor)).release().ptr();
  });
}

// The same in elements of the tensor's dtype; the class is in Python.
PyObject* typed_storage(PyObject* self, PyObject* /*args*/) {
  return guarded([&]() -> PyObject* {
    const LentTensor tensor(self);
    make_data_real("storage", *tensor);
    if (impl(*tensor).is_wrapper()) throw_no_data("storage", *tensor);
    const nb::object module = own(PyImport_ImportModule("opwright._typed_storage"));
    return give(module.attr("TypedStorage")(memory_of(*tensor), own(to_python(tensor->dtype())),
                                            tensor->is_fake()));
  });
}

// ---- set_ ----

std::optional<std::vector<int64_t>> read_sizes(PyObject* object, const char* name) {
  if (!is_given(object)) return std::nullopt;
  std::vector<int64_t> sizes;
  OPWRIGHT_CHECK_TYPE(nb::try_cast(nb::handle(object), sizes), "set_: ", name,
                      " must be a sequence of ints, got ", class_name(object));
  return sizes;
}

// All of the memory of `source` as elements of a dtype.
Tensor whole_memory(PyObject* source, DType dtype) {
  const Tensor base = is_tensor(source) ? detached(handle_of(source))
                                        : nb::cast<StorageObject&>(nb::handle(source)).tensor();
  const auto count = static_cast<int64_t>(impl(base).storage->nbytes / item_size(base.dtype()));
  return as_strided(base, SymSizes{count}, SymSizes{1}, SymInt(0)).view(dtype);
}

// A copy of bytes, real also while fakes are made; `byte_order` is that of the numbers.
StorageObject storage_of_bytes(const nb::object& buffer, const nb::object& byte_order,
                               Py_ssize_t count, Py_ssize_t offset, const nb::object& dtype) {
  const std::string order = byte_order.is_none() ? "native" : nb::cast<std::string>(byte_order);
  OPWRIGHT_CHECK_VALUE(order == "native" || order == "little",
                       "UntypedStorage.from_buffer: byte_order must be 'native' or 'little', got '",
                       order, "'; swap the bytes first");
  const ThreadStateScope outside(ThreadState{});
  return StorageObject(
      tensor_over_bytes(buffer.ptr(), parse_dtype(dtype.ptr()), count, offset, "from_buffer")
          .clone());
}

// All of the memory as a tensor of the current transform.
nb::object tensor_of_storage(const StorageObject& self, const nb::object& dtype) {
  Tensor whole;
  {
    const ThreadStateScope outside(ThreadState{});
    const DType wanted = parse_dtype(dtype.ptr());
    const Tensor& base = self.tensor();
    const auto count = static_cast<int64_t>(self.get().nbytes / item_size(base.dtype()));
    whole = as_strided(base, SymSizes{count}, SymSizes{1}, SymInt(0)).view(wanted);
  }
  return nb::steal(require(wrap(adopt(std::move(whole)))));
}

// The tensor that self becomes: elements of self's dtype over the memory of `source`.
Tensor tensor_to_become(const Tensor& self, PyObject* source, int64_t offset, PyObject* size,
                        PyObject* stride) {
  const auto sizes = read_sizes(size, "size");
  if (is_tensor(source) && !sizes) return detached(handle_of(source));
  if (PyObject_HasAttrString(source, "untyped")) {
    const nb::object untyped = own(PyObject_CallMethod(source, "untyped", nullptr));
    return tensor_to_become(self, untyped.ptr(), offset, size, stride);
  }
  OPWRIGHT_CHECK_TYPE(is_tensor(source) || nb::isinstance<StorageObject>(nb::handle(source)),
                      "set_: source must be a Tensor or a storage, got ", class_name(source));
  const Tensor whole = whole_memory(source, self.dtype());
  if (!sizes) return whole;
  const auto strides = read_sizes(stride, "stride");
  const Sizes dense = contiguous_strides(std::span<const int64_t>(*sizes));
  return as_strided(
      whole, SymSizes(sizes->begin(), sizes->end()),
      strides ? SymSizes(strides->begin(), strides->end()) : SymSizes(dense.begin(), dense.end()),
      SymInt(offset));
}

PyObject* set_in_place(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* const names[] = {"source", "storage_offset", "size", "stride", nullptr};
    PyObject* source = nullptr;
    long long offset = 0;
    PyObject* size = nullptr;
    PyObject* stride = nullptr;
    parse_arguments(args, kwargs, "|OLOO:set_", names, &source, &offset, &size, &stride);
    end_trace("set_() gives a tensor other memory");
    const Tensor tensor = handle_of(self);
    OPWRIGHT_CHECK(!impl(tensor).is_wrapper(), "set_: it cannot be called inside a transform");
    OPWRIGHT_CHECK(!tensor.requires_grad() || (is_leaf(tensor) && !is_grad_enabled()),
                   "set_: a tensor that requires grad cannot get other memory; detach it first, or "
                   "call it on a leaf under no_grad");
    const int64_t none = 0;
    const Tensor next = is_given(source) ? tensor_to_become(tensor, source, offset, size, stride)
                                         : make_empty({&none, 1}, tensor.dtype(), tensor.device());
    OPWRIGHT_CHECK(next.dtype() == tensor.dtype() && next.device() == tensor.device(),
                   "set_: source must have the dtype and device of self, ", tensor.dtype(), " on ",
                   tensor.device(), ", got ", next.dtype(), " on ", next.device());
    set_data(tensor, next);
    forget_accumulator(tensor);
    return Py_NewRef(self);
  });
}

const PyMethodDef kStorageMethods[] = {
    {"untyped_storage", as_method(untyped_storage), METH_NOARGS,
     "untyped_storage($self, /)\n--\n\n"
     "Return the memory that the tensor shares with its views.\n\n"
     ">>> import opwright as ow\n"
     ">>> x = ow.zeros(2, 3)\n"
     ">>> x.untyped_storage().nbytes(), x[1].untyped_storage() == x.untyped_storage()\n"
     "(24, True)\n"},
    {"storage", as_method(typed_storage), METH_NOARGS,
     "storage($self, /)\n--\n\n"
     "Return the memory that the tensor shares with its views, in elements of its dtype.\n\n"
     ">>> import opwright as ow\n"
     ">>> x = ow.tensor([[1, 2], [3, 4]])\n"
     ">>> len(x[1].storage()), x[1].storage()[0], x[1].storage() == x.storage()\n"
     "(4, 1, True)\n"},
    {"set_", as_method(set_in_place), kKeywords,
     "set_($self, source=None, storage_offset=0, size=None, stride=None)\n--\n\n"
     "Show the memory of another tensor or of a storage; without one, become empty.\n\n"
     ">>> import opwright as ow\n"
     ">>> ow.zeros(1).set_(ow.arange(6.0).untyped_storage(), 1, (2,), (3,))\n"
     "tensor([1., 4.])\n"},
};

}  // namespace

void add_storage_slots(TensorSlots& out) {
  out.methods.insert(out.methods.end(), std::begin(kStorageMethods), std::end(kStorageMethods));
}

void bind_storage(nb::module_& m) {
  nb::class_<StorageObject>(m, "UntypedStorage",
                            "The memory that a tensor and its views share, in bytes.\n\n"
                            ">>> import opwright as ow\n"
                            ">>> storage = ow.tensor([1, 2], dtype=ow.uint8).untyped_storage()\n"
                            ">>> len(storage), storage[1]\n"
                            "(2, 2)\n")
      .def_static(
          "from_buffer", &storage_of_bytes, nb::arg("buffer"), nb::arg("byte_order") = nb::none(),
          nb::arg("count") = -1, nb::arg("offset") = 0, nb::kw_only(), nb::arg("dtype"),
          "Copy the bytes of an object; `count` elements of `dtype` from byte `offset` on.\n\n"
          ">>> import opwright as ow\n"
          ">>> len(ow.UntypedStorage.from_buffer(b\"abcd\", dtype=ow.uint8))\n"
          "4\n")
      .def("_tensor", &tensor_of_storage, nb::arg("dtype"), "All of it as a tensor of a dtype.")
      .def("data_ptr", &StorageObject::address, "The address of the first byte; 0 of a fake.")
      .def("nbytes", &StorageObject::size, "The number of bytes.")
      .def("size", &StorageObject::size, "The number of bytes.")
      .def(
          "element_size", [](const StorageObject&) { return 1; }, "1: elements are bytes.")
      .def_prop_ro(
          "device",
          [](const StorageObject& self) { return nb::steal(to_python(self.get().device)); })
      .def("__len__", [](const StorageObject& self) { return nb::cast<size_t>(self.size()); })
      .def("__getitem__", &read_byte, nb::arg("index"))
      .def("__eq__", &StorageObject::is_same, nb::is_operator())
      .def("__hash__",
           [](const StorageObject& self) { return reinterpret_cast<uintptr_t>(&self.get()); });
}

}  // namespace opwright::python
