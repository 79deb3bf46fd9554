// The state of random numbers as a tensor: what an input of role RandomState is.
#pragma once

#include <cstdint>

#include "opwright/ir/graph/graph.h"
#include "opwright/tensor.h"

namespace opwright {

// How many inputs of the graph are states; as many of its last outputs are the new ones.
[[nodiscard]] uint32_t count_random_states(const Graph& graph);

// The state of the default generator of cpu, as the current level has it.
[[nodiscard]] Tensor read_random_state();
// Sets what read_random_state gave, or a graph computed from it.
void write_random_state(const Tensor& state);

// The same without asking the current level for states of its own: by operators, which a trace
// records.
[[nodiscard]] Tensor call_random_state();
void call_set_random_state(const Tensor& state);

}  // namespace opwright
