// Moved to opwright/runtime/make_fx.h.
#pragma once

#include "opwright/runtime/make_fx.h"  // IWYU pragma: export
