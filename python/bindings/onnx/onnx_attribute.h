// Attributes of nodes from Python: the suffix of the name is the kind.
#pragma once

#include <optional>
#include <string>

#include <Python.h>

#include "opwright/runtime/onnx.h"

namespace opwright::python {

// `alpha_f=0.5` is the FLOAT alpha, `axes_i=[0, 1]` the INTS axes, `mode_s="linear"` the STRING
// mode, `value_t=tensor` the TENSOR value. Empty for the value None: the attribute is omitted.
// ValueError for a name without such a suffix, TypeError for a value of another kind; both start
// with `who`.
[[nodiscard]] std::optional<onnx::Attribute> read_attribute(const std::string& who,
                                                            const std::string& name,
                                                            PyObject* value);

}  // namespace opwright::python
