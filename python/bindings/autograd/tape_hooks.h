// Hooks in Python. The callables stand in the node's Python object, where the collector sees them;
// the node itself has only their keys.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include "opwright/autograd/accumulate.h"
#include "opwright/autograd/tape.h"

namespace opwright::python {

// Each gives a handle with remove(); a new reference. TypeError for what cannot be called.
PyObject* add_gradient_hook(const Edge& edge, PyObject* callable);  // gradient -> gradient | None
PyObject* add_node_hook(TapeNode& node, PyObject* callable);        // (given, got) -> given | None
PyObject* add_node_prehook(TapeNode& node, PyObject* callable);     // got -> got | None
PyObject* add_leaf_hook(Accumulate& accumulator, PyObject* callable);  // leaf -> None

void bind_tape_hooks(nanobind::module_& m);

}  // namespace opwright::python
