// opwright.ShapeEnv for Python, and functions on symbols outside operators.
#pragma once

#include <nanobind/nanobind.h>

#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright::python {

void bind_shape_env(nanobind::module_& m);

// The environment as a Python object; objects of one environment are equal.
nanobind::object shape_env_object(ShapeEnv& shape_env);
// The environment of an instance of opwright.ShapeEnv. TypeError starts with `who`.
ShapeEnvPtr shape_env_of_object(nanobind::handle object, const char* who);

}  // namespace opwright::python
