// A list or nothing: `int[]?`.
#pragma once

#include "opwright/compat/c10/util/ArrayRef.h"
#include "opwright/compat/c10/util/Optional.h"

namespace c10 OPWRIGHT_VISIBILITY {
template <class T>
using OptionalArrayRef = std::optional<ArrayRef<T>>;
using OptionalIntArrayRef = OptionalArrayRef<int64_t>;
}  // namespace c10
