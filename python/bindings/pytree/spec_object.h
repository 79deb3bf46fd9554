// opwright.pytree.TreeSpec: the structure of a pytree as a Python object.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_tree_spec(nanobind::module_& m);

}  // namespace opwright::python
