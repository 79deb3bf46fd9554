// Decides which operators stay whole in a program that is traced for an engine.
#pragma once

#include <cstdint>
#include <string>

#include "opwright/transforms/trace/trace.h"

namespace opwright {

// Operators of aten that have a rule of the engine stay whole; those without a rule that are made
// of others are decomposed.
[[nodiscard]] TraceOptions choose_trace(const std::string& engine, int64_t version);

}  // namespace opwright
