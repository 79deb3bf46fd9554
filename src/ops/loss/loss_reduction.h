// The reduction of elementwise losses.
#pragma once

#include <cstdint>

#include "opwright/error.h"

namespace opwright {

// PyTorch's values.
enum class LossReduction : int8_t { None = 0, Mean = 1, Sum = 2 };
inline constexpr auto kNoLossReduction = static_cast<int64_t>(LossReduction::None);

// ValueError for other numbers.
[[nodiscard]] inline LossReduction loss_reduction(const char* who, int64_t reduction) {
  OPWRIGHT_CHECK_VALUE(reduction >= 0 && reduction <= 2, who,
                       ": reduction must be 0 (none), 1 (mean) or 2 (sum), got ", reduction);
  return static_cast<LossReduction>(reduction);
}

// Works for any kind of tensor that has mean and sum.
template <class AnyTensor>
[[nodiscard]] AnyTensor reduce_loss(const AnyTensor& losses, LossReduction reduction) {
  switch (reduction) {
    case LossReduction::Mean:
      return losses.mean();
    case LossReduction::Sum:
      return losses.sum();
    default:
      return losses;
  }
}

}  // namespace opwright
