#include "bridges/torch/python/object_tensor.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "bridges/torch/handle_tensor.h"
#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/exchange.h"
#include "bridges/torch/python/handle_objects.h"
#include "bridges/torch/python/lock.h"
#include "bridges/torch/python/plain_tensor.h"
#include "bridges/torch/python/reference.h"
#include "bridges/torch/python/sym_object.h"
#include "bridges/torch/python/torch_objects.h"
#include "bridges/torch/stable_abi.h"
#include "bridges/torch/torch_internals.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/symint.h"

namespace opwright::torch_bridge {
namespace {

ObjectTensor& object_tensor_of(OpwTensor* tensor) { return *static_cast<ObjectTensor*>(tensor); }

bool has_own_type(PyObject* object) {
  const TorchObjects& torch = torch_objects();
  return Py_TYPE(object) == torch.tensor || Py_TYPE(object) == torch.parameter;
}

bool ask(PyObject* question, PyObject* object) {
  const Reference answer = require_new(PyObject_CallOneArg(question, object));
  const int is_so = PyObject_IsTrue(answer.get());
  require_no_error(is_so);
  return is_so == 1;
}

uint32_t device_bit(int32_t type) {
  return type == kOpwDeviceCpu ? 1U : type == kOpwDeviceCuda ? 2U : 4U;
}

Reference strides_of(PyObject* object) {
  return require_new(PyObject_CallMethodNoArgs(object, attribute_names().stride));
}

// Writes the ints of a tuple to `to`; returns whether all were plain.
bool read_numbers(PyObject* tuple, int64_t* to) {
  bool all_plain = true;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject* each = PyTuple_GET_ITEM(tuple, i);
    if (PyLong_Check(each)) {
      to[i] = PyLong_AsLongLong(each);
    } else {
      to[i] = 0;
      all_plain = false;
    }
  }
  return all_plain;
}

// Sizes and strides from torch's attributes.
void read_shape(ObjectTensor& tensor) {
  const Reference sizes = require_new(PyObject_GetAttr(tensor.object, attribute_names().shape));
  const Reference strides = strides_of(tensor.object);
  const Py_ssize_t ndim = PyTuple_GET_SIZE(sizes.get());
  delete[] std::exchange(tensor.numbers, new int64_t[2 * static_cast<size_t>(ndim) + 1]());
  tensor.dl.ndim = static_cast<int32_t>(ndim);
  tensor.dl.shape = tensor.numbers;
  tensor.dl.strides = tensor.numbers + ndim;
  const bool sizes_are_plain = read_numbers(sizes.get(), tensor.dl.shape);
  const bool strides_are_plain = read_numbers(strides.get(), tensor.dl.strides);
  if (!sizes_are_plain || !strides_are_plain) tensor.flags |= kOpwFlagSymbolic;
}

void read_kind(ObjectTensor& tensor) {
  const AttributeNames& names = attribute_names();
  const Reference dtype = require_new(PyObject_GetAttr(tensor.object, names.dtype));
  const Reference device = require_new(PyObject_GetAttr(tensor.object, names.device));
  tensor.dl.dtype = to_dlpack(dtype_of_object(dtype.get()));
  tensor.dl.device = device_of_object(device.get());
  if (has_one_device(tensor.dl.device.type)) tensor.dl.device.index = 0;
}

void read_address(ObjectTensor& tensor) {
  const Reference address =
      require_new(PyObject_CallMethodNoArgs(tensor.object, attribute_names().data_ptr));
  tensor.dl.data = PyLong_AsVoidPtr(address.get());
}

bool requires_grad(PyObject* tensor) {
  if (AtenTensorHandle handle = handle_inside(tensor)) return needs_gradient(handle, true);
  const Reference flag = require_new(PyObject_GetAttr(tensor, attribute_names().requires_grad));
  return flag.get() == Py_True;
}

// For one of torch's own types; false if it needs Python.
bool is_plain(PyObject* tensor) {
  AtenTensorHandle handle = handle_inside(tensor);
  return handle && plainness_of(handle) != Plainness::Other;
}

void finish(ObjectTensor& tensor) {
  tensor.flags |= device_bit(tensor.dl.device.type);
  if (requires_grad(tensor.object)) tensor.flags |= kOpwFlagRequiresGrad;
  tensor.flags &= ~kOpwFlagStale;
}

void read_without_exchange(ObjectTensor& tensor) {
  const TorchObjects& torch = torch_objects();
  read_shape(tensor);
  read_kind(tensor);
  tensor.dl.data = nullptr;
  tensor.dl.byte_offset = 0;
  if (ask(torch.has_memory, tensor.object)) {
    read_address(tensor);
  } else {
    tensor.flags |= ask(torch.is_wrapped, tensor.object) ? kOpwFlagWrapped : kOpwFlagFake;
  }
  finish(tensor);
}

int refresh(OpwTensor* tensor) {
  return status_of([&] {
    const LockScope lock;
    ObjectTensor& self = object_tensor_of(tensor);
    if ((self.flags & kOpwFlagStale) && !read_memory(self)) read_without_exchange(self);
  });
}

void free_readings(ObjectTensor& tensor) noexcept {
  if (tensor.words) {
    const int32_t length = 2 * tensor.dl.ndim + 1;
    for (int32_t i = 0; i < length; ++i) release_word(tensor.words[i]);
    delete[] std::exchange(tensor.words, nullptr);
  }
  delete[] std::exchange(tensor.numbers, nullptr);
}

void release_tensor(OpwTensor* tensor) {
  ObjectTensor& self = object_tensor_of(tensor);
  free_readings(self);
  drop_reference(self.object);
  delete &self;
}

OpwTensor* promote(OpwTensor* tensor) {
  const LockScope lock;
  return own_object(Reference::borrow(object_tensor_of(tensor).object));
}

void read_words(ObjectTensor& tensor) {
  const Reference sizes = require_new(PyObject_GetAttr(tensor.object, attribute_names().shape));
  const Reference strides = strides_of(tensor.object);
  const Reference offset =
      require_new(PyObject_CallMethodNoArgs(tensor.object, attribute_names().storage_offset));
  const auto ndim = static_cast<Py_ssize_t>(tensor.dl.ndim);
  tensor.words = new OpwSymWord[2 * static_cast<size_t>(ndim) + 1]();
  for (Py_ssize_t i = 0; i < ndim; ++i) {
    tensor.words[i] = word_of_object(PyTuple_GET_ITEM(sizes.get(), i));
    tensor.words[ndim + i] = word_of_object(PyTuple_GET_ITEM(strides.get(), i));
  }
  tensor.words[2 * ndim] = word_of_object(offset.get());
}

int symbolic(const OpwTensor* tensor, OpwSymbolicShape* shape) {
  return status_of([&] {
    const LockScope lock;
    ObjectTensor& self = object_tensor_of(const_cast<OpwTensor*>(tensor));
    if (!self.words) read_words(self);
    const auto ndim = static_cast<size_t>(self.dl.ndim);
    *shape = {self.words, self.words + ndim, self.words[2 * ndim]};
  });
}

constexpr OpwTensorTable kTensorTable = {
    .struct_size = sizeof(OpwTensorTable),
    .release = release_tensor,
    .promote = promote,
    .refresh = refresh,
    .symbolic = symbolic,
};

}  // namespace

void begin_view(ObjectTensor& view, PyObject* object) noexcept {
  view.owner = &kTensorTable;
  view.count = 1;
  view.flags = kOpwFlagView | kOpwFlagStale;
  view.object = object;
  view.numbers = nullptr;
  view.words = nullptr;
}

void end_view(ObjectTensor& view) noexcept {
  if (view.numbers || view.words) free_readings(view);
}

bool read_memory(ObjectTensor& view) {
  if (!has_own_type(view.object) || !is_plain(view.object) || !view_memory(view.object, view.dl))
    return false;
  finish(view);
  return true;
}

void forget_readings(OpwTensor* tensor) noexcept {
  if (!is_object_tensor(tensor) || (tensor->flags & kOpwFlagStale)) return;
  free_readings(object_tensor_of(tensor));
  tensor->flags = (tensor->flags & kOpwFlagView) | kOpwFlagStale;
}

OpwTensor* own_object(Reference object) {
  auto* owned = new ObjectTensor{};
  begin_view(*owned, object.give());
  owned->flags = kOpwFlagStale;
  return owned;
}

bool is_object_tensor(const OpwTensor* tensor) noexcept { return tensor->owner == &kTensorTable; }

PyObject* object_of_tensor(const OpwTensor* tensor) {
  if (is_object_tensor(tensor)) return Py_NewRef(static_cast<const ObjectTensor*>(tensor)->object);
  if (is_handle_tensor(tensor)) return object_of_handle(handle_of(tensor));
  throw_error("TypeError", "a tensor of Opwright's own runtime reached torch");
}

bool is_tensor(PyObject* object) {
  const TorchObjects& torch = torch_objects();
  return Py_TYPE(object) == torch.tensor || PyObject_TypeCheck(object, torch.tensor);
}

}  // namespace opwright::torch_bridge
