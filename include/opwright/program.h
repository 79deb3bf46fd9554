// Moved to opwright/runtime/program.h.
#pragma once

#include "opwright/runtime/program.h"  // IWYU pragma: export
