// The random number generator's state as a tensor, for inputs of role RandomState.
#pragma once

#include <cstdint>

#include "opwright/ir/graph/graph.h"
#include "opwright/tensor.h"

namespace opwright {

// The number of inputs that are generator states; as many of the last outputs are new states.
[[nodiscard]] uint32_t count_random_states(const Graph& graph);

// Returns the state of the default CPU generator, as the current level has it.
[[nodiscard]] Tensor read_random_state();
// Sets a state that read_random_state returned or that a graph computed from one.
void write_random_state(const Tensor& state);

// The same without asking the current level for its own states: calls operators, which a trace
// records.
[[nodiscard]] Tensor call_random_state();
void call_set_random_state(const Tensor& state);

}  // namespace opwright
