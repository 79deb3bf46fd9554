// How a decomposition says that it does not apply to a call.
#pragma once

namespace opwright {

// The kind of the error that a rule gives; a Python function returns NotImplemented. The call then
// goes on as if there were no rule.
inline constexpr const char* kDeclined = "Declined";

}  // namespace opwright
