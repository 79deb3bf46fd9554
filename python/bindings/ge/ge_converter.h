// Rules of the engine "ge" that are Python functions, and what these call: custom_op, Const.
#pragma once

#include <cstdint>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "opwright/convert/converter.h"

namespace opwright::python {

// `function(*arguments, meta_outputs=results)` gives a ge.Tensor for each result. Arguments that
// the operator does not have stay what the function's defaults are; `meta_outputs` is given where
// it takes that. An exception in it reaches the caller as it is.
[[nodiscard]] ConverterPtr make_ge_converter(PyObject* function, int64_t since_version);

void bind_ge_converter(nanobind::module_& m);

}  // namespace opwright::python
