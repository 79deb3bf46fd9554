// Trees of Python containers: into leaves and a spec, and back.
//
// Nodes are tuples, lists, dicts (in the order of insertion), OrderedDicts, defaultdicts, named
// tuples, instances of dataclasses, None and instances of registered classes. All else is a leaf,
// other subclasses of these included.
#pragma once

#include <span>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/pytree/tree_spec.h"

namespace opwright::python {

struct FlatTree {
  std::vector<nanobind::object> leaves;
  TreeSpec spec;
};

// RecursionError for a tree that contains itself or is very deep; the exceptions of what registered
// classes and dataclasses run.
[[nodiscard]] FlatTree tree_flatten(PyObject* tree);

// A new tree. ValueError when there are not as many leaves as the spec has. An instance of a
// dataclass is made of its fields alone: neither __init__ nor __post_init__ runs.
[[nodiscard]] nanobind::object tree_unflatten(std::span<const nanobind::object> leaves,
                                              const TreeSpec& spec);

// Whether register_pytree_node made the class a node.
[[nodiscard]] bool is_registered_class(PyTypeObject* type);
// The names of the fields of a named tuple or of a dataclass; invalid: the class is no such.
[[nodiscard]] nanobind::object fields_of_class(PyTypeObject* type, TreeKind kind);

void bind_pytree(nanobind::module_& m);

}  // namespace opwright::python
