#include "opwright/check/memory/moved_example.h"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "opwright/base/thread_state.h"
#include "opwright/c_api.h"
#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/device.h"
#include "opwright/dispatch/replaced_arguments.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/generator.h"
#include "opwright/tensor.h"
#include "opwright/tensor/device/stream.h"
#include "opwright/tensor/random_state.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/wrapper.h"
#include "opwright/value.h"

namespace opwright {
namespace {

StoragePtr move_storage(const Storage& storage, Device device) {
  StoragePtr moved = allocate_storage(storage.nbytes, device);
  copy_bytes(moved->data, device, storage.data, storage.device, storage.nbytes);
  return moved;
}

Value move_value(const Value& value, Device device) {
  if (value.tag() == kOpwDeviceValue) return Value(device);
  if (value.tag() != kOpwObject) return value;
  OpwObject* object = value.get().as_object;
  if (std::string_view(object->table->type_name) != "Generator") return value;
  const Generator moved = make_generator(device);
  random_state(moved).set_state(random_state(Generator::borrow(object)).state());
  return Value(moved);
}

}  // namespace

Example move_example(const Example& example, Device device) {
  std::unordered_map<const Storage*, StoragePtr> storages;
  std::vector<Tensor> moved;
  for (const Tensor& tensor : example.tensors()) {
    const Storage& own = storage_of(tensor);
    StoragePtr& storage = storages[&own];
    if (!storage) storage = move_storage(own, device);
    moved.push_back(with_storage(tensor, storage));
  }
  Example other = example.with_tensors(moved);
  for (uint32_t i = 0; i < other.values().size(); ++i)
    other = other.with_value(i, move_value(other.values()[i], device));
  return other;
}

Tensor bring_to_cpu(const Tensor& tensor) {
  if (!tensor.is_defined() || tensor.device() == kCpu) return tensor;
  const AttentionScope unrecorded(kAttentionGradOff, true);
  return tensor.to(kCpu, tensor.dtype());
}

Outcome bring_to_cpu(const Outcome& outcome) {
  const auto bring = [](const Value& value) {
    return map_tensors(value.get(), [](OpwTensor* tensor) {
      const Tensor shared = Tensor::borrow(tensor);
      return tensor ? bring_to_cpu(shared) : shared;
    });
  };
  std::vector<Value> arguments;
  for (const Value& value : outcome.after.values()) arguments.push_back(bring(value));
  Outcome brought{Example(outcome.after.op(), std::move(arguments)), {}, outcome.error};
  for (const Value& value : outcome.results) brought.results.push_back(bring(value));
  return brought;
}

}  // namespace opwright
