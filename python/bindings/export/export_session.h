// ExportSession for Python: one run of a function that becomes a program.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_export_session(nanobind::module_& m);

}  // namespace opwright::python
