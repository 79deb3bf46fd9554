// at::acc_type: the type in which sums of a dtype are accumulated.
#pragma once

#include <type_traits>

#include "opwright/compat/ATen/OpMathType.h"

namespace at OPWRIGHT_VISIBILITY {
// On the cpu, floats are summed as doubles and ints as int64_t, as in PyTorch.
template <class T, bool kIsCuda>
using acc_type = std::conditional_t<
    std::is_integral_v<T>, int64_t,
    std::conditional_t<kIsCuda || !std::is_same_v<T, float>, opmath_type<T>, double>>;
}  // namespace at
