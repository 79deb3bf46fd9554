// Schema for Python: read-only.
#pragma once

#include <Python.h>

#include "opwright/schema/schema.h"

namespace nanobind {
class module_;
}

namespace opwright::python {

void bind_schema(nanobind::module_& m);

// A new reference to a copy.
PyObject* schema_object(const Schema& schema);

}  // namespace opwright::python
