// Which operators stay whole in a program that is traced for an engine.
#pragma once

#include <cstdint>
#include <string>

#include "opwright/transforms/trace/trace.h"

namespace opwright {

// Operators of aten that have a rule of the engine stay whole; those that have none but are made of
// others are taken apart.
[[nodiscard]] TraceOptions choose_trace(const std::string& engine, int64_t version);

}  // namespace opwright
