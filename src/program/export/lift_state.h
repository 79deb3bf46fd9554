// A program whose state belongs to its caller: what a module of the program runs.
#pragma once

#include "opwright/program/export/exported_program.h"
#include "opwright/visibility.h"

namespace opwright {

// The same program with parameters and buffers as user inputs of their names, before its own, in
// the order of the signature. Constants stay bound.
[[nodiscard]] OPWRIGHT_EXPORT ExportedProgramPtr lift_state(const ExportedProgram& program);

}  // namespace opwright
