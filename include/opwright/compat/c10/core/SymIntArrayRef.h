// Lists of sizes that may be symbols.
#pragma once

#include "opwright/compat/c10/core/SymInt.h"
#include "opwright/compat/c10/util/OptionalArrayRef.h"

namespace c10 OPWRIGHT_VISIBILITY {
using SymIntArrayRef = ArrayRef<SymInt>;
using OptionalSymIntArrayRef = OptionalArrayRef<SymInt>;
}  // namespace c10
