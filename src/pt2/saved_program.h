// Loads and saves exported programs of any format: Opwright's (.opw) or PyTorch's (.pt2).
#pragma once

#include <string>

#include "opwright/program/export/exported_program.h"
#include "opwright/visibility.h"

namespace opwright {

// The contents decide, not the name. Throws what load_program_file and load_pt2 throw.
[[nodiscard]] OPWRIGHT_EXPORT ExportedProgramPtr load_saved_program(const std::string& path);

// The name decides: *.pt2 is an archive for PyTorch, any other name a program file. Throws what
// save_pt2 and save_program throw.
OPWRIGHT_EXPORT void save_program_as(const ExportedProgram& program, const std::string& path);

}  // namespace opwright
