// The generator that a call draws from, and where the levels below keep generator states.
#pragma once

#include <cstdint>

#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/ir/graph/random_states.h"
#include "opwright/tensor/random_state.h"

namespace opwright {

// The generator passed as argument `index` (-1: the operator has no such argument), else the
// default generator of the device on which the numbers are drawn.
[[nodiscard]] RandomState& drawn_generator(const Operator& op, Arguments args, int32_t index);

// This level or the nearest one below that keeps states; if there is none, the generators
// themselves.
[[nodiscard]] RandomStates& states_at(Interpreter* level);
// The same, without this level.
[[nodiscard]] RandomStates& states_below(const Interpreter& level);

}  // namespace opwright
