// Queries on symbols from the user's own line: the recorded result names that line.
#pragma once

#include <cstdint>
#include <string>

#include "opwright/c_api.h"
#include "opwright/symint.h"
#include "opwright/visibility.h"

namespace opwright {

// Whether a condition holds; the owner of its symbols records the answer.
[[nodiscard]] OPWRIGHT_EXPORT bool guard_for_user(const SymInt& condition,
                                                  OpwIfUnknown if_unknown = kOpwUnknownIsError);
// The int that the value is fixed to from here on.
[[nodiscard]] OPWRIGHT_EXPORT int64_t specialise_for_user(const SymInt& value);
// Throws ValueError with `message` unless the condition holds, now or when the owner's program
// runs.
OPWRIGHT_EXPORT void check_for_user(const SymInt& condition, const std::string& message);

}  // namespace opwright
