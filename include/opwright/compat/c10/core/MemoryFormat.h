// c10::MemoryFormat is opwright::MemoryFormat.
#pragma once

#include "opwright/memory_format.h"

namespace c10 OPWRIGHT_VISIBILITY {
using opwright::MemoryFormat;
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at
