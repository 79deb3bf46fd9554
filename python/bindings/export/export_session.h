// ExportSession for Python: one run of a function that is exported.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_export_session(nanobind::module_& m);

}  // namespace opwright::python
