// Merges reduction states in pairs, as a tree over the order in which they were added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "opwright/ops/engine/reduction/reduction_table.h"

namespace opwright {

// For `columns` reductions side by side; reusable after total().
class FoldTree {
 public:
  FoldTree(const FoldKernel& kernel, int64_t columns)
      : kernel_(kernel),
        columns_(columns),
        bytes_(static_cast<size_t>(columns * kernel.state_bytes)) {}

  // Adds the content of `states` and overwrites it.
  void add(std::byte* states) {
    size_t level = 0;
    for (uint64_t carry = count_; (carry & 1) != 0; carry >>= 1) {
      std::byte* before = at(level++);
      kernel_.merge(before, states, columns_);
      std::memcpy(states, before, bytes_);
    }
    if ((level + 1) * bytes_ > memory_.size()) memory_.resize((level + 4) * bytes_);
    std::memcpy(at(level), states, bytes_);
    ++count_;
  }
  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  // Merges everything that was added, at least one.
  void total(std::byte* states) {
    bool is_first = true;
    for (size_t level = 0; count_ != 0; ++level, count_ >>= 1) {
      if ((count_ & 1) == 0) continue;
      if (!is_first) kernel_.merge(at(level), states, columns_);
      std::memcpy(states, at(level), bytes_);
      is_first = false;
    }
  }

 private:
  [[nodiscard]] std::byte* at(size_t level) { return memory_.data() + level * bytes_; }

  const FoldKernel& kernel_;
  int64_t columns_;
  size_t bytes_;
  uint64_t count_ = 0;
  std::vector<std::byte> memory_;  // level i: merged states of 2^i, if count_ has bit i
};

}  // namespace opwright
