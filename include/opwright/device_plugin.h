// Moved to opwright/plugin/device_plugin.h.
#pragma once

#include "opwright/plugin/device_plugin.h"  // IWYU pragma: export
