#include "bridges/torch/torch_internals.h"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "bridges/torch/python_hooks.h"
#include "bridges/torch/stable_abi.h"
#include "bridges/torch/torch_numbers.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"

namespace opwright::torch_bridge {
namespace {

// An AtenTensorHandle points to a pointer to this.
struct TensorImpl;

struct Internals {
  bool (*requires_grad)(const TensorImpl* tensor);
  const TensorImpl* const& (*forward_gradient)(const TensorImpl* tensor, uint64_t level,
                                               AtenTensorHandle same);
  bool (*is_inference_enabled)();
  int64_t (*count_modes)();
  void* const* (*functorch_levels)();  // a vector: its begin and its end
  void (*bump_version)(AtenTensorHandle tensor);
};
Internals internals;

// The offset of a TensorImpl's dispatch key set, found by comparing tensors that differ in one key;
// 0 if unknown. The key set describes everything that a kernel must know of a tensor in one load.
size_t key_set_offset = 0;
uint64_t lazy_keys = 0;
const TensorImpl* undefined_tensor = nullptr;

// The key sets of plain tensors of one device; 0 until such a tensor was created.
struct PlainKeySets {
  std::atomic<uint64_t> recorded{0};
  std::atomic<uint64_t> inference{0};
};
PlainKeySets cpu_key_sets;
PlainKeySets cuda_key_sets;

const TensorImpl* impl_of(AtenTensorHandle tensor) {
  return *reinterpret_cast<const TensorImpl* const*>(tensor);
}
uint64_t word_at(AtenTensorHandle tensor, size_t offset) {
  uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const char*>(impl_of(tensor)) + offset, sizeof word);
  return word;
}

// Null on failure. With five dimensions: torch stores that many in the tensor itself, and leaves
// unused ones unset.
AtenTensorHandle new_tensor(DType dtype, int64_t size, int32_t device_type, int32_t index) {
  const int64_t sizes[5] = {size, 1, 1, 1, 1};
  const int64_t strides[5] = {1, 1, 1, 1, 1};
  AtenTensorHandle tensor = nullptr;
  const Status status = torch_abi.empty_strided(5, sizes, strides, dtype_to_torch(to_dlpack(dtype)),
                                                device_type_to_torch(device_type), index, &tensor);
  return status == 0 ? tensor : nullptr;
}
AtenTensorHandle call_unary(const char* name, AtenTensorHandle tensor) {
  AtenTensorHandle copy = nullptr;
  if (torch_abi.new_tensor_handle(tensor, &copy) != 0) return nullptr;
  StableValue stack[1] = {reinterpret_cast<StableValue>(copy)};
  if (torch_abi.call_2_9(name, "", stack) != 0) return nullptr;
  return reinterpret_cast<AtenTensorHandle>(stack[0]);
}

bool differ_in_one_bit(uint64_t a, uint64_t b) { return std::popcount(a ^ b) == 1; }

// The only offset at which two plain tensors agree while a lazily conjugated and a lazily negated
// one each differ in a single bit.
void find_key_set_offset() {
  constexpr size_t kLastOffset = 176;  // every TensorImpl of torch 2 is longer
  const OwnedHandle plain(new_tensor(DType::Complex64, 3, kOpwDeviceCpu, 0));
  const OwnedHandle other(new_tensor(DType::Float32, 5, kOpwDeviceCpu, 0));
  if (!plain.get() || !other.get()) return;
  const OwnedHandle conjugated(call_unary("aten::_conj", plain.get()));
  const OwnedHandle negated(call_unary("aten::_neg_view", plain.get()));
  if (!conjugated.get() || !negated.get()) return;
  size_t found = 0;
  for (size_t offset = sizeof(void*); offset <= kLastOffset; offset += sizeof(uint64_t)) {
    const uint64_t keys = word_at(plain.get(), offset);
    const uint64_t conjugated_keys = word_at(conjugated.get(), offset);
    const uint64_t negated_keys = word_at(negated.get(), offset);
    const bool fits = keys != 0 && keys == word_at(other.get(), offset) &&
                      differ_in_one_bit(keys, conjugated_keys) &&
                      differ_in_one_bit(keys, negated_keys) && conjugated_keys != negated_keys;
    if (!fits) continue;
    if (found != 0) return;  // two offsets: neither is certain
    found = offset;
    lazy_keys = (keys ^ conjugated_keys) | (keys ^ negated_keys);
  }
  key_set_offset = found;
  if (internals.forward_gradient) {
    undefined_tensor = internals.forward_gradient(impl_of(plain.get()), 0, plain.get());
  }
}

bool is_inference_enabled() {
  return internals.is_inference_enabled && internals.is_inference_enabled();
}

// Whether `keys` are those of a plain tensor of the device, learned from one created for it.
bool are_plain_keys(PlainKeySets& sets, int32_t device_type, int32_t index, uint64_t keys) {
  if (keys == sets.recorded.load(std::memory_order_relaxed) ||
      keys == sets.inference.load(std::memory_order_relaxed)) [[likely]]
    return true;
  std::atomic<uint64_t>& unknown = is_inference_enabled() ? sets.inference : sets.recorded;
  if (unknown.load(std::memory_order_relaxed) != 0) return false;
  const OwnedHandle sample(new_tensor(DType::Float32, 0, device_type, index));
  if (!sample.get()) return false;
  const uint64_t learnt = word_at(sample.get(), key_set_offset);
  unknown.store(learnt, std::memory_order_relaxed);
  return keys == learnt;
}

Plainness plainness_of_other(AtenTensorHandle tensor, uint64_t keys) {
  int32_t type = 0;
  int32_t index = 0;
  if (torch_abi.get_device_type(tensor, &type) != 0 ||
      torch_abi.get_device_index(tensor, &index) != 0)
    return Plainness::Other;
  if (type == device_type_to_torch(kOpwDeviceCpu)) {
    return are_plain_keys(cpu_key_sets, kOpwDeviceCpu, 0, keys) ? Plainness::Cpu : Plainness::Other;
  }
  if (type == device_type_to_torch(kOpwDeviceCuda)) {
    return are_plain_keys(cuda_key_sets, kOpwDeviceCuda, index, keys) ? Plainness::Cuda
                                                                      : Plainness::Other;
  }
  return Plainness::Other;
}

template <class F>
void find_symbol(F*& function, const char* symbol) {
  function = reinterpret_cast<F*>(find_torch_symbol(symbol));
}

// c10::OperatorName.
struct OperatorName {
  std::string name;
  std::string overload;
};
std::unordered_set<std::string> list_operators() {
  void* (*dispatcher)() = nullptr;
  std::vector<OperatorName> (*list)(void* dispatcher) = nullptr;
  find_symbol(dispatcher, "_ZN3c1010Dispatcher13realSingletonEv");
  find_symbol(list, "_ZN3c1010Dispatcher13getAllOpNamesEv");
  std::unordered_set<std::string> names;
  if (!dispatcher || !list) return names;
  for (const OperatorName& each : list(dispatcher())) {
    names.insert(each.overload.empty() ? each.name : each.name + "." + each.overload);
  }
  return names;
}

}  // namespace

void find_torch_internals() {
  static std::once_flag found;
  std::call_once(found, [] {
    find_symbol(internals.requires_grad, "_ZNK3c1010TensorImpl13requires_gradEv");
    find_symbol(internals.forward_gradient, "_ZNK3c1010TensorImpl8_fw_gradEmRKN2at10TensorBaseE");
    find_symbol(internals.is_inference_enabled, "_ZN3c1013InferenceMode10is_enabledEv");
    find_symbol(internals.count_modes, "_ZN3c104impl20TorchDispatchModeTLS9stack_lenEv");
    find_symbol(internals.functorch_levels, "_ZN2at9functorch20getDynamicLayerStackEv");
    find_symbol(internals.bump_version, "_ZN5torch8autograd4impl12bump_versionERKN2at6TensorE");
    find_key_set_offset();
  });
}

bool is_transforming() {
  if (internals.count_modes && internals.functorch_levels) [[likely]] {
    if (internals.count_modes() != 0) return true;
    void* const* levels = internals.functorch_levels();
    return levels[0] != levels[1];
  }
  return python_hooks.is_transforming && python_hooks.is_transforming();
}

Plainness plainness_of(AtenTensorHandle tensor) {
  if (key_set_offset == 0) [[unlikely]]
    return Plainness::Other;
  const uint64_t keys = word_at(tensor, key_set_offset);
  if (keys == cpu_key_sets.recorded.load(std::memory_order_relaxed)) [[likely]]
    return Plainness::Cpu;
  return plainness_of_other(tensor, keys);
}

bool is_lazy(AtenTensorHandle tensor) noexcept {
  return key_set_offset != 0 && (word_at(tensor, key_set_offset) & lazy_keys) != 0;
}

bool needs_gradient(AtenTensorHandle tensor, bool is_grad_enabled) {
  const TensorImpl* impl = impl_of(tensor);
  if (is_grad_enabled && (!internals.requires_grad || internals.requires_grad(impl))) return true;
  return undefined_tensor && internals.forward_gradient(impl, 0, tensor) != undefined_tensor;
}

bool can_raise_versions() noexcept { return internals.bump_version != nullptr; }

void raise_version(AtenTensorHandle tensor) {
  if (!internals.bump_version) return;
  const uint64_t keys = key_set_offset == 0 ? 0 : word_at(tensor, key_set_offset);
  // A tensor of inference mode has no version.
  if (keys != 0 && keys == cpu_key_sets.inference.load(std::memory_order_relaxed)) return;
  if (keys != 0 && keys == cuda_key_sets.inference.load(std::memory_order_relaxed)) return;
  internals.bump_version(tensor);
}

bool has_operator(const std::string& name) {
  static const std::unordered_set<std::string> kNames = list_operators();
  return !kNames.contains("aten::empty.memory_format") || kNames.contains(name);
}

}  // namespace opwright::torch_bridge
