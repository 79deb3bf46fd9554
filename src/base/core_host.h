// The core as the host of the functions that it runs.
#pragma once

#include "opwright/c_api.h"
#include "opwright/visibility.h"

namespace opwright {

// Constant-initialised, so static initialisers may use it. `call` needs the imports of a binary:
// the loader of a binary makes a copy with its own instance and `call`.
OPWRIGHT_EXPORT const OpwHost& core_host() noexcept;

}  // namespace opwright
