// Changes the values of an example's tensors: dtypes, special numbers.
#pragma once

#include "opwright/check/example/example.h"
#include "opwright/check/variation/variation_step.h"
#include "opwright/dtype.h"

namespace opwright {

// Whether the example's operator claims complex numbers: the example has one, or no formula of its
// own could be right for real numbers only.
[[nodiscard]] bool claims_complex(const Example& example);
// Changes all tensors of a dtype to another dtype of its class, and ints once to floats.
[[nodiscard]] VariationSteps dtype_steps(const Example& example);
// nan, inf, -inf, -0.0 as one element of a floating tensor; all 0; ints that are all 0, the least
// or the greatest; bools that are all equal.
[[nodiscard]] VariationSteps special_value_steps(const Example& example);
// New numbers of the same kind; how often equal ones occur changes too.
[[nodiscard]] VariationStep fresh_values_step();

// The tensor with another dtype and the same layout.
[[nodiscard]] Tensor with_dtype(const Tensor& tensor, DType dtype, RandomSource& rng);

}  // namespace opwright
