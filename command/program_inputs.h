// The values that a program runs on: from files, from the command line, at random.
#pragma once

#include <vector>

#include "command/options.h"
#include "opwright/host/call_spec.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/value.h"

namespace opwright::command {

// One for each of `call.inputs`. ValueError for a name that is wrong or missing; OSError,
// ValueError and TypeError for a file that is not there, damaged or of another dtype.
//
// Random inputs have the sizes that --size and the other inputs tell, else those of the export:
// floats are normally distributed, whole numbers and bools are 0 or 1.
[[nodiscard]] std::vector<Value> make_inputs(const ExportedProgram& program, const CallSpec& call,
                                             const RunOptions& options);

}  // namespace opwright::command
