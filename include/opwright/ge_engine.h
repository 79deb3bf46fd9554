/* Moved to opwright/vendor/ge_engine.h. */
#pragma once

#include "opwright/vendor/ge_engine.h" /* IWYU pragma: export */
