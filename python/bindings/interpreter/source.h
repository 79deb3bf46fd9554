// Lines of Python code: where an operator was defined, where a function stands.
#pragma once

#include <Python.h>

#include "opwright/base/source_site.h"

namespace opwright::python {

// The line of the innermost Python frame outside of the package; unknown when there is none.
SourceSite caller_site();

// Where a callable was written, through partials, methods and wrappers; else the caller's line.
SourceSite site_of(PyObject* callable);

// Lets the core ask for the user's line (base/user_line.h).
void install_user_line_finder();

}  // namespace opwright::python
