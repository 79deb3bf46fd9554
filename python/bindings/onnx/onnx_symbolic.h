// Rules of the engine "onnx" that are Python functions: symbolics.
#pragma once

#include <cstdint>

#include <Python.h>

#include "opwright/convert/converter.h"

namespace opwright::python {

// `function(g, *arguments)`, with a value for each argument of the operator, gives a value for each
// result: one, or a tuple or list of them. An exception in it reaches the caller as it is.
[[nodiscard]] ConverterPtr make_symbolic(PyObject* function, int64_t since_opset);

}  // namespace opwright::python
