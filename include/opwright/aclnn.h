// Moved to opwright/vendor/aclnn.h.
#pragma once

#include "opwright/vendor/aclnn.h"  // IWYU pragma: export
