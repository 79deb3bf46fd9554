// c10::SymInt is opwright::SymInt; where PyTorch says guard_int, it says specialise().
#pragma once

#include "opwright/symint.h"

namespace c10 OPWRIGHT_VISIBILITY {
using opwright::SymBool;
using opwright::SymInt;
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at
