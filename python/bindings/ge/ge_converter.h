// Conversion rules of the engine "ge" in Python, and the functions they call: custom_op, Const.
#pragma once

#include <cstdint>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "opwright/convert/converter.h"

namespace opwright::python {

// `function(*arguments, meta_outputs=results)` returns a ge.Tensor for each result. Parameters that
// the operator does not have keep their defaults; `meta_outputs` is passed if the function takes
// it. Its exceptions reach the caller unchanged.
[[nodiscard]] ConverterPtr make_ge_converter(PyObject* function, int64_t since_version);

void bind_ge_converter(nanobind::module_& m);

}  // namespace opwright::python
