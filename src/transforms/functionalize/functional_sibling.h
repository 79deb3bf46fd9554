// Functional siblings: for an operator that writes or draws random numbers, one that does neither.
//
//   audio::normalize_(Tensor(a!) x, float eps) -> Tensor(a!)
//   audio::_functional_normalize_(Tensor x, float eps) -> Tensor
//   aten::rand(SymInt[] size, ...) -> Tensor
//   aten::_functional_rand(Tensor state, SymInt[] size, ...) -> (Tensor, Tensor)
//
// A sibling takes the state of the generator first, if its operator draws, and no generator. It
// gives the results that are no written argument, the new value of each written argument, and the
// state after the call. Its body for all devices: clone, call, return. It is made when it is first
// asked for, by its name too, so that the text of a graph can be read in another process.
#pragma once

#include <cstdint>

#include "opwright/dispatch/operator.h"

namespace opwright {

// Whether the operator writes an argument or draws random numbers.
[[nodiscard]] bool has_functional_sibling(const Operator& op);

// NotImplementedError for an operator that writes and gives a view of another argument. Any thread.
[[nodiscard]] const Operator& functional_sibling(const Operator& op);

// The operator that draws random numbers whose functional sibling `op` is; else null. Any thread.
[[nodiscard]] const Operator* find_drawing_origin(const Operator& op);

// The argument that is the generator; none: -1.
[[nodiscard]] int32_t generator_argument(const Operator& op);

}  // namespace opwright
