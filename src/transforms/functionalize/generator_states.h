// The generator that a call draws from, and the states of generators as the levels below have them.
#pragma once

#include <cstdint>

#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/ir/graph/random_states.h"
#include "opwright/tensor/random_state.h"

namespace opwright {

// The one that is given as argument `index` (-1: the operator takes none), else the default one of
// the device where the numbers are drawn.
[[nodiscard]] RandomState& drawn_generator(const Operator& op, Arguments args, int32_t index);

// The nearest level below that keeps states; where there is none, the generators themselves.
[[nodiscard]] RandomStates& states_below(const Interpreter& level);

}  // namespace opwright
