// Registers the kernels of pointwise operators, in every form: for the CPU, for other devices, and
// fake.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "opwright/dispatch/operator.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {

// A defined operator, and the operation that computes it.
struct PointwiseEntry {
  const char* name;  // "aten::add.Tensor"
  const PointwiseOp& (*op)();
  uint32_t line;  // in `file`
};

// The schema determines the form: the operation's operands come first, then the other arguments; a
// written argument receives the result. Registered when the registry is first used. Returns true.
bool register_pointwise(const char* file, std::initializer_list<PointwiseEntry> entries);

// A call as the CPU kernel registered above reads it; borrows from `args` and `op`. None if the
// operator has another kernel or writes, or if reading would need the value of a symbolic number.
[[nodiscard]] std::optional<PointwiseCall> read_pointwise_call(const Operator& op, Arguments args);

}  // namespace opwright
