// The derivative of a call, as another call of XLA.
#pragma once

#include "bridges/jax/jax_operator.h"
#include "bridges/jax/xla_ffi.h"

namespace opwright::jax_bridge {

// XLA's arguments are those of the call and a gradient for each result of a floating dtype; its
// results are the gradients of the tensor arguments of floating dtypes. Runs the operator again, in
// the core, whose formulas compute the gradients. Throws Error.
void run_pullback(JaxOperator& op, const XlaCallFrame& frame);

}  // namespace opwright::jax_bridge
