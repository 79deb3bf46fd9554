// Moved to opwright/vendor/ge.h.
#pragma once

#include "opwright/vendor/ge.h"  // IWYU pragma: export
