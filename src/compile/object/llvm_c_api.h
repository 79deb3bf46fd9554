// Object code by LLVM's C API, from a shared library that is looked for when it is needed: no
// header of LLVM is needed to build, and no LLVM to run.
#pragma once

#include "opwright/compile/object/code_maker.h"

namespace opwright {

// By LLVM 19 or newer: the file that OPWRIGHT_LLVM names, else one of the system's folders of
// libraries. Opens nothing; one without `make` where there is none.
[[nodiscard]] ObjectMaker find_llvm_c_api();

}  // namespace opwright
