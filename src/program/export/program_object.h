// A program as a Value, as held by the public class Program.
#pragma once

#include "opwright/c_api.h"
#include "opwright/program/export/exported_program.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

[[nodiscard]] Value program_value(ExportedProgramPtr program);
// TypeError if the value is not a program.
[[nodiscard]] OPWRIGHT_EXPORT ExportedProgramPtr program_of(const OpwValue& value);

}  // namespace opwright
