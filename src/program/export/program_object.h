// A program as a value: what the public class Program holds.
#pragma once

#include "opwright/c_api.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

[[nodiscard]] Value program_value(ExportedProgramPtr program);
// TypeError for a value that is no program.
[[nodiscard]] OPWRIGHT_EXPORT ExportedProgramPtr program_of(const OpwValue& value);

}  // namespace opwright
