// Sizes and dimensions of tensors, for the rules of all engines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

[[nodiscard]] std::vector<SymInt> sym_sizes_of(const Tensor& tensor);
// Known to be equal; adds no guards.
[[nodiscard]] bool are_same(std::span<const SymInt> a, std::span<const SymInt> b);
[[nodiscard]] inline bool is_exactly(const SymInt& size, int64_t value) {
  return !size.is_symbolic() && size.word() == value;
}
// Known to have no elements.
[[nodiscard]] inline bool is_empty(const Tensor& tensor) {
  return is_exactly(tensor.sym_numel(), 0);
}
// The broadcast of compatible sizes: the one that is not 1.
[[nodiscard]] std::vector<SymInt> broadcast(std::span<const SymInt> a, std::span<const SymInt> b);

// A list of sizes in parts: `ints(run)` for each run of numbers, `part(size)` for each symbol.
template <class Value, class Ints, class Part>
[[nodiscard]] std::vector<Value> parts_of_sizes(std::span<const SymInt> sizes, const Ints& ints,
                                                const Part& part) {
  std::vector<Value> parts;
  std::vector<int64_t> plain;
  for (const SymInt& size : sizes) {
    if (!size.is_symbolic()) {
      plain.push_back(size.word());
      continue;
    }
    if (!plain.empty()) parts.push_back(ints(plain));
    plain.clear();
    parts.push_back(part(size));
  }
  if (!plain.empty() || parts.empty()) parts.push_back(ints(plain));
  return parts;
}

// A dimension that may count from the end.
[[nodiscard]] inline int64_t count_from_front(int64_t dim, int64_t rank) {
  return dim < 0 ? dim + std::max<int64_t>(rank, 1) : dim;
}
// -count, ... -1.
[[nodiscard]] std::vector<int64_t> last_dims(int64_t count);
// 0, 1, ... rank - 1.
[[nodiscard]] std::vector<int64_t> all_dims(int64_t rank);

}  // namespace opwright
