// Other places in memory for the tensors of an example.
#pragma once

#include "opwright/check/example/example.h"
#include "opwright/check/variation/variation_step.h"

namespace opwright {

// The other order of dimensions in memory, and gaps between elements.
[[nodiscard]] VariationSteps stride_steps(const Example& example);
// Contiguous, not at the beginning of its storage.
[[nodiscard]] VariationSteps offset_steps(const Example& example);
// One element along a dimension, repeated; never a tensor that is written.
[[nodiscard]] VariationSteps repeat_steps(const Example& example);
// Two tensors that are only read, of one dtype and the same sizes, in the same memory.
[[nodiscard]] VariationSteps sharing_steps(const Example& example);
// Gradients wanted of one floating tensor, of all, of none; not of a tensor that is written.
[[nodiscard]] VariationSteps gradient_steps(const Example& example);

}  // namespace opwright
