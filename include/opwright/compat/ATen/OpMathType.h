// at::opmath_type: the type in which a dtype is computed.
#pragma once

#include <type_traits>

#include "opwright/compat/c10/util/Half.h"

namespace at OPWRIGHT_VISIBILITY {
template <class T>
using opmath_type = std::conditional_t<opwright::ReducedFloat<T>, float, T>;
}  // namespace at
