// One call from XLA: runs the operator on its buffers and puts the results into them.
#pragma once

#include "bridges/jax/jax_operator.h"
#include "bridges/jax/xla_ffi.h"

namespace opwright::jax_bridge {

// XLA's results are those of the schema in order (for a written argument, its new value), followed
// by the new values of written arguments that are not results. Throws Error.
void run_call(JaxOperator& op, const XlaCallFrame& frame);

}  // namespace opwright::jax_bridge
