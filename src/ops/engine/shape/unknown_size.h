// Data-dependent sizes of results.
#pragma once

#include "opwright/symint.h"

namespace opwright {

// A new symbol of the current environment in [0, `most`]. Without an environment
// NotImplementedError: "nonzero: how many elements are not zero decides ..."; `what` is the middle
// part.
[[nodiscard]] SymInt make_unknown_size(const char* who, const char* what, const SymInt& most);
// The same in [`least`, any).
[[nodiscard]] SymInt make_unknown_size_from(const char* who, const char* what, const SymInt& least);
// The same without a bound.
[[nodiscard]] SymInt make_unknown_size(const char* who, const char* what);

}  // namespace opwright
