// Moved to opwright/runtime/vmap.h.
#pragma once

#include "opwright/runtime/vmap.h"  // IWYU pragma: export
