// The input values of a run: from files, from the command line, or random.
#pragma once

#include <vector>

#include "command/options.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/program_api/call_spec.h"
#include "opwright/value.h"

namespace opwright::command {

// One per entry of `call.inputs`. ValueError for a wrong or missing name; OSError, ValueError and
// TypeError for a file that is missing, damaged or of another dtype.
//
// Random inputs have the sizes given by --size and the other inputs, otherwise those of the export:
// floats are normally distributed, integers and bools are 0 or 1.
[[nodiscard]] std::vector<Value> make_inputs(const ExportedProgram& program, const CallSpec& call,
                                             const RunOptions& options);

}  // namespace opwright::command
