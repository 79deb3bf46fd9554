// Moved to opwright/runtime/compile.h.
#pragma once

#include "opwright/runtime/compile.h"  // IWYU pragma: export
