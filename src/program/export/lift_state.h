// Turns a program's state into inputs of the caller, as used by a module of the program.
#pragma once

#include "opwright/program/export/exported_program.h"
#include "opwright/visibility.h"

namespace opwright {

// The same program with parameters and buffers as user inputs under their names, before its own, in
// signature order. Constants stay bound.
[[nodiscard]] OPWRIGHT_EXPORT ExportedProgramPtr lift_state(const ExportedProgram& program);

}  // namespace opwright
