// opwright.Generator: a random number generator as a Python object, and the seeds of the default
// ones.
#pragma once

#include <Python.h>

#include "opwright/generator.h"

namespace nanobind {
class module_;
}

namespace opwright::python {

extern PyTypeObject* generator_type;

void bind_generator(nanobind::module_& m);

// A new reference.
PyObject* to_python(Generator generator);
// `object` is of the type.
const Generator& as_generator(PyObject* object);

}  // namespace opwright::python
