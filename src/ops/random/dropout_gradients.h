// The factor by which dropout multiplies the elements it keeps, also in its gradient.
#pragma once

#include <optional>

namespace opwright {

// Preserves the mean; 0 if nothing is kept.
[[nodiscard]] inline double kept_scale(double p) { return p == 1 ? 0 : 1 / (1 - p); }
// For native_dropout.
[[nodiscard]] inline double dropout_scale(double p, const std::optional<bool>& train) {
  return train.value_or(true) ? kept_scale(p) : 1;
}

}  // namespace opwright
