// Moved to opwright/runtime/func.h.
#pragma once

#include "opwright/runtime/func.h"  // IWYU pragma: export
