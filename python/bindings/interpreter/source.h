// Lines of Python code: where an operator or a function was defined.
#pragma once

#include <Python.h>

#include "opwright/base/source_site.h"

namespace opwright::python {

// The line of the innermost Python frame outside the package; unknown if there is none.
SourceSite caller_site();

// The same, outside the standard library too, if there is such a frame.
SourceSite program_line();

// Where a callable was defined, through partials, methods and wrappers; else the caller's line.
SourceSite site_of(PyObject* callable);

// Lets the core query the user's line (base/user_line.h).
void install_user_line_finder();

}  // namespace opwright::python
