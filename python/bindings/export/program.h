// ExportedProgram for Python.
#pragma once

#include <nanobind/nanobind.h>

#include "opwright/program/export/exported_program.h"

namespace opwright::python {

void bind_program(nanobind::module_& m);

[[nodiscard]] nanobind::object program_object(ExportedProgramPtr program);
// TypeError for another object.
[[nodiscard]] ExportedProgramPtr program_of_object(nanobind::handle object);

}  // namespace opwright::python
