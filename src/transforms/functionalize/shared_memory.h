// Which foreign tensors of functionalize share memory, and how.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/transforms/functionalize/functional_storage.h"

namespace opwright {

struct MemoryShare {
  enum class Kind : uint8_t {
    None,      // no element in common
    Part,      // all elements are elements of the storage's tensor
    Conflict,  // anything else, or unknown
  };
  Kind kind = Kind::None;
  SymInt offset = 0;  // for Part: from the first element of the storage's tensor to its own
};

// How `tensor`, a foreign one whose value at the level below is `value`, overlaps the memory of a
// storage that has a source. Memory that was imported twice is found by its addresses.
[[nodiscard]] MemoryShare find_shared_memory(const FunctionalStorage& storage, const Tensor& tensor,
                                             const Tensor& value);

// The order in which to lift tensors so that each is, if possible, a part of an earlier one: the
// given order, but larger tensors first if several share a storage.
[[nodiscard]] std::vector<size_t> order_by_extent(std::span<const Tensor> tensors);

}  // namespace opwright
