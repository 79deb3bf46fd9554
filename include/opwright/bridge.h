// Moved to opwright/runtime/bridge.h.
#pragma once

#include "opwright/runtime/bridge.h"  // IWYU pragma: export
