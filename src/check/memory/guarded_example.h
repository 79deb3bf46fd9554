// An example whose tensors lie in guarded memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "opwright/check/example/example.h"
#include "opwright/check/memory/guarded_memory.h"

namespace opwright {

// Which tensors of an example lie on one storage: places in tensors().
using TensorGroups = std::vector<std::vector<size_t>>;

// Nothing: a tensor has no memory on the cpu.
[[nodiscard]] std::optional<TensorGroups> find_tensor_groups(const Example& example);

class GuardedExample {
 public:
  // One element of `patterns` for each group. Nothing requires a gradient.
  GuardedExample(const Example& example, const TensorGroups& groups,
                 const std::vector<GuardPatterns>& patterns, ProtectedEnd end);

  // Copies of what is no tensor too: it may be called on.
  [[nodiscard]] const Example& example() const noexcept { return example_; }

  struct Hit {
    size_t group;
    GuardedMemory::Place place;
  };
  // Of an address in the protected pages.
  [[nodiscard]] std::optional<Hit> find_protected(const void* address) const noexcept;

  struct Damage {
    size_t group;
    GuardedMemory::Damage damage;
  };
  // The first group whose guards were written.
  [[nodiscard]] std::optional<Damage> find_damage() const;

 private:
  std::vector<GuardedMemory> memories_;
  Example example_;
};

}  // namespace opwright
