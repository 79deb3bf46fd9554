// Pairs of built-in operators that compute the same, one of which writes: add_.Tensor and
// add.Tensor, mm.out and mm.
//
// The pair follows from names and schemas. Operators of authors have none, since their names
// promise nothing.
#pragma once

#include "opwright/dispatch/operator.h"

namespace opwright {

// The one that does not write, which takes the same arguments but for `out`, and gives the new
// value of each written argument; null: there is none. Any thread.
[[nodiscard]] const Operator* find_functional_pair(const Operator& op);

}  // namespace opwright
