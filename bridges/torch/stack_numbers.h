// Values on torch's stack that own nothing: numbers, dtypes, devices, layouts, memory formats.
#pragma once

#include "bridges/torch/stable_abi.h"
#include "opwright/c_api.h"
#include "opwright/runtime/bridge.h"

namespace opwright::torch_bridge {

// TypeError for a number that the other side does not have, or a value of another kind.
[[nodiscard]] OpwValue read_number(ValueKind kind, StableValue value);
[[nodiscard]] StableValue write_number(ValueKind kind, const OpwValue& value);

// TypeError that says what was expected.
[[noreturn]] void throw_wrong_tag(const char* expected, const OpwValue& value);
void require_tag(const OpwValue& value, OpwTag tag);

}  // namespace opwright::torch_bridge
