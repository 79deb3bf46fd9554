// Changes how the tensors of an example lie in memory.
#pragma once

#include "opwright/check/example/example.h"
#include "opwright/check/variation/variation_step.h"

namespace opwright {

// Reverses the order of dimensions in memory, and puts gaps between elements.
[[nodiscard]] VariationSteps stride_steps(const Example& example);
// Contiguous, but not at the start of the storage.
[[nodiscard]] VariationSteps offset_steps(const Example& example);
// Repeats one element along a dimension; never in a written tensor.
[[nodiscard]] VariationSteps repeat_steps(const Example& example);
// Puts two read-only tensors of the same dtype and sizes into the same memory.
[[nodiscard]] VariationSteps sharing_steps(const Example& example);
// Requests gradients of one floating tensor, of all, of none; never of a written tensor.
[[nodiscard]] VariationSteps gradient_steps(const Example& example);

}  // namespace opwright
