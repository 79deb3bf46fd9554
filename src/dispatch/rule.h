// The shape of the rules in an operator's row (include/opwright/c_api.h, OpwFunction).
#pragma once

#include <cstdint>
#include <optional>

#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/operator.h"
#include "opwright/visibility.h"

namespace opwright {

// Whether the function in `slot` takes and gives what the operator does; a rule has arguments of
// its own.
constexpr bool has_operator_signature(Slot slot) {
  return is_callable(slot) || stands_in(slot) || slot == Slot::Decompose;
}

// How many results the function in `slot` gives.
[[nodiscard]] OPWRIGHT_EXPORT uint32_t count_results(const Operator& op, Slot slot);

// Results that are no written argument.
[[nodiscard]] uint32_t count_fresh_results(const Operator& op);

// The argument that result `index` is a view of, or a list of views, without being written; none
// for a result with memory of its own and for one that is a written argument.
[[nodiscard]] std::optional<uint32_t> find_viewed_argument(const Operator& op, uint32_t index);
[[nodiscard]] bool is_view(const Operator& op);

// Runs the function in `slot`, a rule, at the current level. NotImplementedError when there is
// none; other errors gain a note of the operator.
void run_rule(const Operator& op, Slot slot, Arguments args, Results results);

}  // namespace opwright
