// Other values in the tensors of an example: dtypes, special numbers.
#pragma once

#include "opwright/check/example/example.h"
#include "opwright/check/variation/variation_step.h"
#include "opwright/dtype.h"

namespace opwright {

// All tensors of a dtype become those of another one of its class, and floats of ints once.
[[nodiscard]] VariationSteps dtype_steps(const Example& example);
// nan, inf, -inf, -0.0 as one element of a floating tensor; 0 as all; ints that are all 0, the
// least or the greatest; bools that are all the same.
[[nodiscard]] VariationSteps special_value_steps(const Example& example);
// Other numbers of the same kind, with other chances of equal ones.
[[nodiscard]] VariationStep fresh_values_step();

// The tensor with another dtype and the same layout.
[[nodiscard]] Tensor with_dtype(const Tensor& tensor, DType dtype, Dice& dice);

}  // namespace opwright
