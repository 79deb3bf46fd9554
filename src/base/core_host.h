// The core as the host of the functions that it runs.
#pragma once

#include "opwright/c_api.h"
#include "opwright/visibility.h"

namespace opwright {

// Constant-initialised, so static initialisers may use it. `call` needs the imports of a binary:
// whoever loads one makes a copy with an instance and a `call` of its own.
OPWRIGHT_EXPORT const OpwHost& core_host() noexcept;

}  // namespace opwright
