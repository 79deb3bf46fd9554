// Moved to opwright/runtime/autocast.h.
#pragma once

#include "opwright/runtime/autocast.h"  // IWYU pragma: export
