// Uses llvmlite to compile the code of compiled functions.
#pragma once

namespace nanobind {
class module_;
}

namespace opwright::python {

// Imports nothing: opwright._compile.llvm is imported when code is requested, llvmlite when it is
// compiled.
void bind_code_maker(nanobind::module_& m);

}  // namespace opwright::python
