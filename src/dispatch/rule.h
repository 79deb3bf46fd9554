// The signatures of the rules in an operator's row (include/opwright/c_api.h, OpwFunction).
#pragma once

#include <cstdint>
#include <optional>

#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/operator.h"
#include "opwright/visibility.h"

namespace opwright {

// Whether the function in `slot` has the operator's arguments and results; a rule has its own.
constexpr bool has_operator_signature(Slot slot) {
  return is_callable(slot) || stands_in(slot) || slot == Slot::Decompose;
}

// The number of results of the function in `slot`.
[[nodiscard]] OPWRIGHT_EXPORT uint32_t count_results(const Operator& op, Slot slot);

// The number of results that are not a written argument.
[[nodiscard]] uint32_t count_fresh_results(const Operator& op);

// The argument that result `index` is a view of, or a list of views, without being written; nullopt
// for a result with its own memory and for a written argument.
[[nodiscard]] std::optional<uint32_t> find_viewed_argument(const Operator& op, uint32_t index);
[[nodiscard]] bool is_view(const Operator& op);

// Runs the function in `slot`, a rule, at the current level. Throws NotImplementedError if there is
// none; other errors gain a note of the operator.
void run_rule(const Operator& op, Slot slot, Arguments args, Results results);

}  // namespace opwright
