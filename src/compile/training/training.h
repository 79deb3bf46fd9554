// Compiled training: a joint graph as two executables and one node on the tape.
#pragma once

#include "opwright/compile/backend/executable.h"
#include "opwright/compile/training/joint_graph.h"

namespace opwright {

// Its run gives the function's outputs; with grad mode on they have histories that lead through one
// node to what requires grad, with it off nothing is recorded. The backward is compiled when it
// first runs. What the node saved is freed by the first backward that does not keep it, noticed
// when it was written since, and goes through saved-tensor hooks. With create_graph the function is
// run again from its inputs, call by call, and differentiated as eager does; RuntimeError where it
// wrote to an input that it reads.
[[nodiscard]] ExecutablePtr compile_training(JointGraph joint, const Backend& backend);

}  // namespace opwright
