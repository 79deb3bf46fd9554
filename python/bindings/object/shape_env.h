// opwright.ShapeEnv for Python, and what is asked of symbols outside of an operator.
#pragma once

#include <nanobind/nanobind.h>

#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright::python {

void bind_shape_env(nanobind::module_& m);

// The environment as a Python object; objects of one environment are equal.
nanobind::object shape_env_object(ShapeEnv& shape_env);
// Of an instance of opwright.ShapeEnv. TypeError with `who` in front.
ShapeEnvPtr shape_env_of_object(nanobind::handle object, const char* who);

}  // namespace opwright::python
