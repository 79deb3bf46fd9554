// Sizes of results that only the data decide.
#pragma once

#include "opwright/symint.h"

namespace opwright {

// A new symbol of the current environment from 0 to `most`. Without an environment
// NotImplementedError: "nonzero: how many elements are not zero decides ..."; `what` stands there.
[[nodiscard]] SymInt make_unknown_size(const char* who, const char* what, const SymInt& most);
// The same without a bound.
[[nodiscard]] SymInt make_unknown_size(const char* who, const char* what);

}  // namespace opwright
