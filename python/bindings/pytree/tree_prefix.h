// A structure as the upper part of a larger tree.
#pragma once

#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/pytree/tree_spec.h"

namespace opwright::python {

// The parts of `tree` that are at the leaves of `spec`. ValueError if the tree has another
// structure above them. Dicts need the same keys, in any order, and may be of different classes.
[[nodiscard]] std::vector<nanobind::object> subtrees_at_leaves(const TreeSpec& spec,
                                                               PyObject* tree);

}  // namespace opwright::python
