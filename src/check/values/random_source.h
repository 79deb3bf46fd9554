// A random number generator that draws the same sequence from the same seed on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "opwright/base/hash.h"

namespace opwright {

class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) : seed_(seed) {}

  [[nodiscard]] uint64_t roll() noexcept { return hash_combine(seed_, ++rolls_); }
  // In [0, count); `count` is not 0.
  [[nodiscard]] uint64_t below(uint64_t count) noexcept { return roll() % count; }
  // Both ends are included.
  [[nodiscard]] int64_t between(int64_t least, int64_t greatest) noexcept {
    const uint64_t span = static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least) + 1;
    const uint64_t step = span == 0 ? roll() : below(span);
    return static_cast<int64_t>(static_cast<uint64_t>(least) + step);
  }
  // In [0, 1).
  [[nodiscard]] double unit() noexcept { return static_cast<double>(roll() >> 11) * 0x1p-53; }
  [[nodiscard]] bool one_in(uint64_t count) noexcept { return below(count) == 0; }
  template <class Range>
  [[nodiscard]] const auto& choose(const Range& range) noexcept {
    return std::data(range)[below(std::size(range))];
  }

 private:
  uint64_t seed_;
  uint64_t rolls_ = 0;
};

}  // namespace opwright
