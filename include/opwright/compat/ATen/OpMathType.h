// at::opmath_type: what a dtype is computed in.
#pragma once

#include <type_traits>

#include "opwright/compat/c10/util/Half.h"

namespace at OPWRIGHT_VISIBILITY {
template <class T>
using opmath_type = std::conditional_t<opwright::ReducedFloat<T>, float, T>;
}  // namespace at
