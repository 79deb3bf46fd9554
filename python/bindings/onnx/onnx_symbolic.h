// Conversion rules of the engine "onnx" in Python: symbolics.
#pragma once

#include <cstdint>

#include <Python.h>

#include "opwright/convert/converter.h"

namespace opwright::python {

// `function(g, *arguments)`, with a value for each argument of the operator, returns a value for
// each result: one, or a tuple or list. Its exceptions reach the caller unchanged.
[[nodiscard]] ConverterPtr make_symbolic(PyObject* function, int64_t since_opset);

}  // namespace opwright::python
