// Functional siblings: for an operator that writes or draws random numbers, one that does neither.
//
//   audio::normalize_(Tensor(a!) x, float eps) -> Tensor(a!)
//   audio::_functional_normalize_(Tensor x, float eps) -> Tensor
//   aten::rand(SymInt[] size, ...) -> Tensor
//   aten::_functional_rand(Tensor state, SymInt[] size, ...) -> (Tensor, Tensor)
//
// If its operator draws, a sibling takes the generator's state as the first argument, instead of a
// generator. It returns the results that are not written arguments, the new value of each written
// argument, and the new state. Its body is the same for all devices: clone, call, return. It is
// created on first use, also when looked up by name, so that a graph's text can be parsed in
// another process.
#pragma once

#include <cstdint>

#include "opwright/dispatch/operator.h"

namespace opwright {

// Whether the operator writes an argument or draws random numbers.
[[nodiscard]] bool has_functional_sibling(const Operator& op);

// NotImplementedError for an operator that writes and returns a view of another argument. Any
// thread.
[[nodiscard]] const Operator& functional_sibling(const Operator& op);

// The operator whose functional sibling is `op`, or null. Any thread.
[[nodiscard]] const Operator* find_sibling_origin(const Operator& op);
// The drawing operator whose functional sibling is `op`, or null. Any thread.
[[nodiscard]] const Operator* find_drawing_origin(const Operator& op);

// The index of the generator argument; -1: none.
[[nodiscard]] int32_t generator_argument(const Operator& op);

}  // namespace opwright
