/* Moved to opwright/runtime/onnxruntime.h. */
#pragma once

#include "opwright/runtime/onnxruntime.h" /* IWYU pragma: export */
