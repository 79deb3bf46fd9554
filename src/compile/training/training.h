// Compiled training: a joint graph as two executables and one node on the tape.
#pragma once

#include "opwright/compile/backend/executable.h"
#include "opwright/compile/training/joint_graph.h"

namespace opwright {

// A run returns the function's outputs. With grad mode on, their histories lead through one node to
// the tensors that require grad; with it off, nothing is recorded. The backward is compiled when it
// first runs. What the node saved goes through saved-tensor hooks, is freed by the first backward
// that does not retain it, and is checked for later writes. With create_graph, the function runs
// again from its inputs, call by call, and is differentiated as eagerly; RuntimeError if it wrote
// to an input that it reads.
[[nodiscard]] ExecutablePtr compile_training(JointGraph joint, const Backend& backend);

}  // namespace opwright
