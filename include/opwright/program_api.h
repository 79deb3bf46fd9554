/* Moved to opwright/runtime/program_api.h. */
#pragma once

#include "opwright/runtime/program_api.h" /* IWYU pragma: export */
