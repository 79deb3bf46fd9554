// One call of XLA: the operator runs over its buffers, the results end in them.
#pragma once

#include "bridges/jax/jax_operator.h"
#include "bridges/jax/xla_ffi.h"

namespace opwright::jax_bridge {

// XLA's results are those of the schema, one after the other, a written argument's being its new
// value; after them the new values of written arguments that are no results. Throws Error.
void run_call(JaxOperator& op, const XlaCallFrame& frame);

}  // namespace opwright::jax_bridge
