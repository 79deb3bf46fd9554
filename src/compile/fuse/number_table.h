// NumberTable: the symbolic numbers of a nest without duplicates; they are arguments of its call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "opwright/compile/fuse/nest.h"
#include "opwright/symint.h"

namespace opwright {

class NumberTable {
 public:
  NestExtent add(const SymInt& number) {
    if (!number.is_symbolic()) return {.fixed = number.word()};
    const auto found = std::ranges::find(numbers_, number.word(), &SymInt::word);
    const auto place = static_cast<uint32_t>(found - numbers_.begin());
    if (found == numbers_.end()) numbers_.push_back(number);
    return {.fixed = -1, .number = place};
  }
  [[nodiscard]] const std::vector<SymInt>& numbers() const noexcept { return numbers_; }

 private:
  std::vector<SymInt> numbers_;
};

}  // namespace opwright
