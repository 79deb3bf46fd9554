// Moved to opwright/runtime/onnx.h.
#pragma once

#include "opwright/runtime/onnx.h"  // IWYU pragma: export
