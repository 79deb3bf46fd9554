// Attributes of nodes as Python gives them: the suffix of the name tells the kind.
#pragma once

#include <optional>
#include <string>

#include <Python.h>

#include "opwright/onnx.h"

namespace opwright::python {

// `alpha_f=0.5` is the FLOAT alpha, `axes_i=[0, 1]` the INTS axes, `mode_s="linear"` the STRING
// mode, `value_t=tensor` the TENSOR value. None for the value None: the attribute is left out.
// ValueError for a name without such a suffix, TypeError for a value of another kind; `who` is in
// front.
[[nodiscard]] std::optional<onnx::Attribute> read_attribute(const std::string& who,
                                                            const std::string& name,
                                                            PyObject* value);

}  // namespace opwright::python
