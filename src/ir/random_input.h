// The state of random numbers as a tensor: what an input of role RandomState is.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

// Seed and first free counter of the default generator of cpu, int64[2].
[[nodiscard]] Tensor read_random_state();
// Sets what read_random_state gave, or a graph computed from it. TypeError for another tensor.
void write_random_state(const Tensor& state);

}  // namespace opwright
