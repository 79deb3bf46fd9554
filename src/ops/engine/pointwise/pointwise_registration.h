// Registers the kernels of pointwise operators: the CPU's, that of other devices and the fake one,
// for every form.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "opwright/dispatch/operator.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {

// An operator that is defined already, and what computes it.
struct PointwiseEntry {
  const char* name;  // "aten::add.Tensor"
  const PointwiseOp& (*op)();
  uint32_t line;  // of `file`
};

// The schema tells the form: the first arguments are the operation's operands; the others follow,
// and a written argument is where the result goes. Done when the registry is first used. Gives
// true.
bool register_pointwise(const char* file, std::initializer_list<PointwiseEntry> entries);

// A call as the CPU kernel registered above reads it; it borrows from `args` and `op`. None: the
// operator has another kernel, writes, or a number is a symbol that reading would ask for its
// value.
[[nodiscard]] std::optional<PointwiseCall> read_pointwise_call(const Operator& op, Arguments args);

}  // namespace opwright
