// Makes object code with LLVM's C API, from a shared library that is searched when needed: building
// requires no LLVM headers, and running requires no LLVM.
#pragma once

#include "opwright/compile/object/code_maker.h"

namespace opwright {

// Uses LLVM 19 or newer: the file named by OPWRIGHT_LLVM, otherwise one in the system's library
// folders. Opens nothing; returns one without `make` if there is none.
[[nodiscard]] ObjectMaker find_llvm_c_api();

}  // namespace opwright
