// An attribute of an XLA call as the value of an argument.
//
// int, float, bool: scalars. str, ScalarType and Device (by name): strings. Layout, MemoryFormat:
// their number. Lists: arrays; bools as uint8. Complex numbers: an array of two floats; a Scalar
// has the type of its value.
#pragma once

#include <cstddef>

#include "bridges/jax/jax_operator.h"
#include "bridges/jax/xla_arguments.h"
#include "opwright/c_api.h"

namespace opwright::jax_bridge {

// Borrowed from the attribute. TypeError that names argument `index`.
[[nodiscard]] OpwValue value_of_attribute(const JaxOperator& op, size_t index,
                                          const XlaAttribute& attribute);

}  // namespace opwright::jax_bridge
