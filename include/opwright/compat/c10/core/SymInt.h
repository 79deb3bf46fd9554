// c10::SymInt is opwright::SymInt; use specialise() instead of PyTorch's guard_int.
#pragma once

#include "opwright/symint.h"

namespace c10 OPWRIGHT_VISIBILITY {
using opwright::SymBool;
using opwright::SymInt;
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at
