// Moved to opwright/runtime/opcheck.h.
#pragma once

#include "opwright/runtime/opcheck.h"  // IWYU pragma: export
