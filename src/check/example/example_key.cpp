#include "opwright/check/example/example_key.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "opwright/base/hash.h"
#include "opwright/check/values/value_profile.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/schema/constant.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

uint64_t hash_values(const Tensor& tensor) {
  if (tensor.is_fake()) return 0;
  const Tensor values = values_of(tensor);
  const size_t bytes = static_cast<size_t>(values.numel()) * item_size(values.dtype());
  return hash_bytes(values.data(), bytes);
}

}  // namespace

std::string key_of(const Example& example) {
  std::string key;
  std::unordered_map<const Storage*, size_t> storages;
  for (const Tensor& tensor : example.tensors()) {
    const size_t storage = storages.emplace(impl(tensor).storage, storages.size()).first->second;
    key += concatenate(tensor.dtype(), to_text(tensor.sizes()), to_text(tensor.strides()), "+",
                       impl(tensor).storage_offset, "@", storage, tensor.device(),
                       tensor.requires_grad() ? "g" : "", hash_values(tensor), ";");
  }
  for (const Value& value : example.values()) key += value_text(value.get()) + ",";
  return key;
}

}  // namespace opwright
