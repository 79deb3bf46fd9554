// How a decomposition or an autograd kernel says that it does not apply to a call.
#pragma once

#include <string_view>

#include "opwright/error.h"
#include "opwright/registration/host_functions.h"

namespace opwright {

// Whether a rule failed with the kind kDeclined; a Python function returns NotImplemented. The call
// then goes on as if there were no rule.
[[nodiscard]] inline bool is_declined(const Error& error) {
  return std::string_view(error.kind()) == kDeclined;
}

}  // namespace opwright
