// opwright.ops and opwright.ops.aten: operators by attribute.
#pragma once

#include <Python.h>

namespace opwright::python {

void add_namespace_types(PyObject* module);

}  // namespace opwright::python
