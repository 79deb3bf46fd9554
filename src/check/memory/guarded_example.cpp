#include "opwright/check/memory/guarded_example.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/check/example/example.h"
#include "opwright/check/memory/guarded_memory.h"
#include "opwright/tensor.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"

namespace opwright {
namespace {

bool can_be_guarded(const Tensor& tensor) {
  const TensorImpl& plain = impl(tensor);
  return !plain.is_wrapper() && !tensor.is_fake() && tensor.device().type == kOpwDeviceCpu;
}

}  // namespace

std::optional<TensorGroups> find_tensor_groups(const Example& example) {
  TensorGroups groups;
  std::vector<const Storage*> storages;
  const std::vector<Tensor> tensors = example.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!can_be_guarded(tensors[i])) return std::nullopt;
    const Storage* storage = impl(tensors[i]).storage;
    const auto known = std::ranges::find(storages, storage);
    if (known == storages.end()) {
      storages.push_back(storage);
      groups.push_back({i});
    } else {
      groups[static_cast<size_t>(known - storages.begin())].push_back(i);
    }
  }
  return groups;
}

GuardedExample::GuardedExample(const Example& example, const TensorGroups& groups,
                               const std::vector<GuardPatterns>& patterns, ProtectedEnd end)
    : example_(example.copy()) {
  // Guarded copies are made from the originals; the copy is for the other arguments.
  const std::vector<Tensor> originals = example.tensors();
  std::vector<Tensor> guarded(originals.size());
  for (size_t group = 0; group < groups.size(); ++group) {
    std::vector<Tensor> together;
    for (const size_t place : groups[group]) together.push_back(originals[place]);
    const GuardedMemory& memory = memories_.emplace_back(together, patterns[group], end);
    for (size_t i = 0; i < groups[group].size(); ++i)
      guarded[groups[group][i]] = memory.tensors()[i];
  }
  example_ = example_.with_tensors(guarded);
}

std::optional<GuardedExample::Hit> GuardedExample::find_protected(
    const void* address) const noexcept {
  for (size_t group = 0; group < memories_.size(); ++group) {
    if (const auto place = memories_[group].find_protected(address)) return Hit{group, *place};
  }
  return std::nullopt;
}

std::optional<GuardedExample::Damage> GuardedExample::find_damage() const {
  for (size_t group = 0; group < memories_.size(); ++group) {
    if (const auto damage = memories_[group].find_damage()) return Damage{group, *damage};
  }
  return std::nullopt;
}

}  // namespace opwright
