// Moved to opwright/runtime/runtime.h.
#pragma once

#include "opwright/runtime/runtime.h"  // IWYU pragma: export
