// The shape of the rules in an operator's row (include/opwright/c_api.h, OpwFunction).
#pragma once

#include <cstdint>

#include "opwright/dispatch/operator.h"

namespace opwright {

// Whether the function in `slot` takes and gives what the operator does; a rule has arguments of
// its own.
constexpr bool has_operator_signature(Slot slot) {
  return is_callable(slot) || stands_in(slot) || slot == Slot::Decompose;
}

// How many results the function in `slot` gives.
[[nodiscard]] uint32_t count_results(const Operator& op, Slot slot);

}  // namespace opwright
