// How many operands are on the stack before each instruction of a code object.
//
// CPython's compiler fixes the depth at each instruction. While Python reports an instruction, its
// frame need not hold the depth (3.12 and later keep it in a C variable), so it is computed.
#pragma once

#include <span>
#include <vector>

#include <Python.h>

#include "bindings/compile/code_unit.h"

namespace opwright::python {

// By code unit; -1 where no instruction begins that can run. Empty if the depths are not known.
[[nodiscard]] std::vector<int> find_stack_depths(PyCodeObject* code,
                                                 std::span<const CodeUnit> units);

}  // namespace opwright::python
