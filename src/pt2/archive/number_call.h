// Calls of a program's graph that compute with numbers and conditions, not with tensors.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "opwright/c_api.h"
#include "opwright/value.h"

namespace opwright::pt2 {

// `target` as in the archive: "_operator.mul", "torch.sym_max". The arguments are ints, SymInts,
// floats and bools; a condition on symbols is a SymInt. nullopt if the target is not of this kind.
// NotImplementedError for a computation with symbols that sizes do not have, such as a quotient;
// TypeError for an argument that is not a number.
[[nodiscard]] std::optional<Value> call_on_numbers(std::string_view target,
                                                   std::span<const OpwValue> arguments);

// The target that computes `op` on sizes: "_operator.mul".
[[nodiscard]] std::string_view target_of(OpwSymOp op) noexcept;

}  // namespace opwright::pt2
