// Which sizes of an example are one number.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/check/example/example.h"

namespace opwright {

struct SizeTies {
  std::vector<std::vector<uint32_t>> variables;  // of each of tensors(), of each dimension
  std::vector<int64_t> sizes;                    // of each variable, in the example

  // The sizes of the variables in an example with tensors of the same ranks.
  [[nodiscard]] std::vector<int64_t> sizes_in(const Example& example) const;
};

// Sizes of 2 and more that are equal are one variable, unless the fake kernel, run with a symbol
// for each size, looks at both and does not demand that they are equal. A size that it does not
// look at is tied to every equal one. Sizes of 0 and 1 are variables of their own.
[[nodiscard]] SizeTies find_size_ties(const Example& example);

// Whether the fake kernel takes the example; true where there is none.
[[nodiscard]] bool fake_takes(const Example& example);

}  // namespace opwright
