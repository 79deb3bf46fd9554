// Pairs of built-in operators that compute the same, one of which writes: add_.Tensor and
// add.Tensor, mm.out and mm.
//
// The pair is derived from names and schemas. Custom operators have none, since their names
// guarantee nothing.
#pragma once

#include "opwright/dispatch/operator.h"

namespace opwright {

// The operator that does not write. It accepts the same arguments except `out` and returns the new
// value of each written argument; null: there is none. Any thread.
[[nodiscard]] const Operator* find_functional_pair(const Operator& op);

}  // namespace opwright
