// What dropout multiplies the elements that it keeps with, also in its gradient.
#pragma once

#include <optional>

namespace opwright {

// So that the mean stays; 0 where nothing is kept.
[[nodiscard]] inline double kept_scale(double p) { return p == 1 ? 0 : 1 / (1 - p); }
// Of native_dropout.
[[nodiscard]] inline double dropout_scale(double p, const std::optional<bool>& train) {
  return train.value_or(true) ? kept_scale(p) : 1;
}

}  // namespace opwright
