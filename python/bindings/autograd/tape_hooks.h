// Hooks in Python. The node's Python object holds the callables, where the garbage collector sees
// them; the node itself has only their keys.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include "opwright/autograd/accumulate.h"
#include "opwright/autograd/tape.h"

namespace opwright::python {

// Each returns a handle with remove(); a new reference. TypeError if it is not callable.
PyObject* add_gradient_hook(const Edge& edge, PyObject* callable);  // gradient -> gradient | None
PyObject* add_node_hook(TapeNode& node, PyObject* callable);        // (given, got) -> given | None
PyObject* add_node_prehook(TapeNode& node, PyObject* callable);     // got -> got | None
PyObject* add_leaf_hook(Accumulate& accumulator, PyObject* callable);  // leaf -> None

void bind_tape_hooks(nanobind::module_& m);

}  // namespace opwright::python
