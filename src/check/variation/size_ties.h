// Finds sizes of an example that must be equal.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/check/example/example.h"

namespace opwright {

struct SizeTies {
  std::vector<std::vector<uint32_t>> variables;  // for each of tensors(), for each dimension
  std::vector<int64_t> sizes;                    // of each variable, in the example

  // The sizes of the variables in an example with tensors of the same ranks.
  [[nodiscard]] std::vector<int64_t> sizes_in(const Example& example) const;
};

// Equal sizes of 2 or more are one variable, unless the fake kernel, run with a symbol for each
// size, uses both without requiring them to be equal. A size that it does not use is tied to every
// equal one. Each size of 0 or 1 is its own variable.
[[nodiscard]] SizeTies find_size_ties(const Example& example);

// Whether the fake kernel accepts the example; true if there is none.
[[nodiscard]] bool fake_takes(const Example& example);

}  // namespace opwright
