#include "opwright/check/example/example.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/base/core_host.h"
#include "opwright/base/given_error.h"
#include "opwright/c_api.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/error.h"
#include "opwright/generator.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/random_state.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

StoragePtr copy_storage(Storage& storage) {
  StoragePtr copy = allocate_storage(storage.nbytes, storage.device);
  if (storage.nbytes == 0) return copy;
  const OpwDeviceTable& device = device_table(storage.device.type);
  const OpwHost& host = core_host();
  if (device.copy(&host, copy->data, storage.device, storage.data, storage.device, storage.nbytes,
                  nullptr) != 0) {
    throw Error::take(take_error());
  }
  return copy;
}

Value copy_generator(const Value& value) {
  const Generator generator = Generator::borrow(value.get().as_object);
  const RandomState& state = random_state(generator);
  const Generator copy = make_generator(state.device());
  random_state(copy).set_state(state.state());
  return Value(copy);
}

bool is_generator(const Argument& argument, const Value& value) {
  const Type& type = argument.type.is_optional() ? argument.type.element() : argument.type;
  return value.tag() == kOpwObject && to_text(type) == "Generator";
}

}  // namespace

Tensor with_storage(const Tensor& tensor, StoragePtr storage) {
  const TensorImpl& from = impl(tensor);
  const Device device = storage->device;
  auto* base = static_cast<std::byte*>(storage->data);
  const auto bytes = static_cast<const std::byte*>(from.dl.data) -
                     static_cast<const std::byte*>(from.storage->data);
  const uint32_t flags = (from.flags & ~(kAutogradFlags | kOpwFlagInference | kOpwDeviceBits)) |
                         device_bit(device.type);
  TensorImpl* made = new_impl(std::move(storage), from.dtype(), device, flags, from.dl.ndim);
  for (int32_t i = 0; i < from.dl.ndim; ++i) {
    made->dl.shape[i] = from.dl.shape[i];
    made->dl.strides[i] = from.dl.strides[i];
  }
  made->storage_offset = from.storage_offset;
  made->dl.data = base ? base + bytes : nullptr;
  Tensor result = Tensor::take(made);
  if (tensor.requires_grad()) set_requires_grad(result, true);
  return result;
}

Tensor copy_with_storage(const Tensor& tensor) {
  return with_storage(tensor, copy_storage(storage_of(tensor)));
}

std::vector<Tensor> tensors_of(std::span<const Value> values) {
  std::vector<Tensor> found;
  for (const Value& value : values) {
    visit_tensors(value.get(), [&](OpwTensor* tensor) { found.push_back(Tensor::borrow(tensor)); });
  }
  return found;
}

Example::Example(const Operator& op, Arguments args) : op_(&op) {
  for (const OpwValue& value : args) values_.push_back(Value::copy_of(value));
}

std::vector<OpwValue> Example::arguments() const {
  std::vector<OpwValue> borrowed;
  borrowed.reserve(values_.size());
  for (const Value& value : values_) borrowed.push_back(value.get());
  return borrowed;
}

std::vector<Tensor> Example::tensors() const { return tensors_of(values_); }

std::vector<Example::TensorPlace> Example::tensor_places() const {
  std::vector<TensorPlace> places;
  for (uint32_t argument = 0; argument < values_.size(); ++argument) {
    uint32_t position = 0;
    visit_tensors(values_[argument].get(),
                  [&](OpwTensor* /*tensor*/) { places.push_back({argument, position++}); });
  }
  return places;
}

std::string Example::tensor_name(size_t which) const {
  const auto [argument, position] = tensor_places()[which];
  std::string name = op_->schema().arguments[argument].name;
  if (values_[argument].tag() != kOpwTensor) name += concatenate("[", position, "]");
  return name;
}

bool Example::is_written(size_t which) const {
  return op_->writes_argument(tensor_places()[which].argument);
}

bool Example::is_on_cpu() const {
  return std::ranges::all_of(tensors(), [](const Tensor& each) { return each.device() == kCpu; });
}

Example Example::with_value(uint32_t argument, Value value) const {
  Example other = *this;
  other.values_[argument] = std::move(value);
  return other;
}

Example Example::with_tensors(const std::vector<Tensor>& tensors) const {
  Example other = *this;
  size_t next = 0;
  for (Value& value : other.values_) {
    value = map_tensors(value.get(), [&](OpwTensor* tensor) {
      return tensor ? tensors[next++] : Tensor::borrow(tensor);
    });
  }
  return other;
}

Example Example::copy() const {
  std::unordered_map<Storage*, StoragePtr> storages;
  std::vector<Tensor> copies;
  for (const Tensor& tensor : tensors()) {
    StoragePtr& storage = storages[&storage_of(tensor)];
    if (!storage) storage = copy_storage(storage_of(tensor));
    copies.push_back(with_storage(tensor, storage));
  }
  Example other = with_tensors(copies);
  for (size_t i = 0; i < other.values_.size(); ++i) {
    if (!is_generator(op_->schema().arguments[i], values_[i])) continue;
    other.values_[i] = copy_generator(values_[i]);
  }
  return other;
}

Example Example::changed_by(std::string what) const {
  Example other = *this;
  other.change_ = change_.empty() ? std::move(what) : change_ + "; " + what;
  return other;
}

}  // namespace opwright
