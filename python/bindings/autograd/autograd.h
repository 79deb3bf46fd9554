// The functions behind opwright.autograd.
#pragma once

#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "opwright/autograd/backward.h"
#include "opwright/tensor.h"

namespace opwright::python {

// A tensor, a gradient edge, or an iterable of them; `what` ("grad: outputs") is for errors.
[[nodiscard]] std::vector<GradientPoint> read_points(PyObject* given, const char* what);
// The same where None means an undefined tensor.
[[nodiscard]] std::vector<Tensor> read_gradients(PyObject* given, const char* what);
// retain_graph; it defaults to create_graph if it is None.
[[nodiscard]] BackwardOptions read_options(PyObject* retain_graph, bool create_graph);

void bind_autograd(nanobind::module_& m);

}  // namespace opwright::python
