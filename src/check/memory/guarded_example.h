// An example whose tensors are in guarded memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "opwright/check/example/example.h"
#include "opwright/check/memory/guarded_memory.h"

namespace opwright {

// Groups of tensors that share a storage, as indices into tensors().
using TensorGroups = std::vector<std::vector<size_t>>;

// nullopt if a tensor has no memory on the CPU.
[[nodiscard]] std::optional<TensorGroups> find_tensor_groups(const Example& example);

class GuardedExample {
 public:
  // One element of `patterns` per group. No tensor requires grad.
  GuardedExample(const Example& example, const TensorGroups& groups,
                 const std::vector<GuardPatterns>& patterns, ProtectedEnd end);

  // Other arguments are copied too, so it can be called.
  [[nodiscard]] const Example& example() const noexcept { return example_; }

  struct Hit {
    size_t group;
    GuardedMemory::Place place;
  };
  // For an address in the protected pages.
  [[nodiscard]] std::optional<Hit> find_protected(const void* address) const noexcept;

  struct Damage {
    size_t group;
    GuardedMemory::Damage damage;
  };
  // The first group whose guards were overwritten.
  [[nodiscard]] std::optional<Damage> find_damage() const;

 private:
  std::vector<GuardedMemory> memories_;
  Example example_;
};

}  // namespace opwright
