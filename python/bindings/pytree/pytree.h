// Pytrees of Python containers: flattening into leaves and a spec, and back.
//
// Nodes are tuples, lists, dicts (in the order of insertion), OrderedDicts, defaultdicts, named
// tuples, instances of dataclasses, None and instances of registered classes. Everything else is a
// leaf, including other subclasses of these.
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

// What counts as a leaf.
struct TreeRules {
  PyObject* is_leaf = nullptr;   // a Python predicate, called for each node; borrowed
  bool registered_only = false;  // None and dataclasses that are not registered are leaves
};

// The kind of a node, apart from the predicate of the rules.
[[nodiscard]] TreeKind tree_kind_of(PyObject* object, const TreeRules& rules);
[[nodiscard]] bool is_leaf_by_rule(PyObject* object, const TreeRules& rules);
// The children of a node that is not a leaf, as a tuple (invalid for None).
[[nodiscard]] nanobind::object open_node(PyObject* object, TreeKind kind, TreeNode& node);

// RecursionError for a tree that contains itself or is very deep; also throws what registered
// classes and dataclasses raise.
[[nodiscard]] FlatTree tree_flatten(PyObject* tree, const TreeRules& rules = {});

// A new tree. ValueError if the number of leaves differs from the spec's. A dataclass instance is
// created from its fields only: neither __init__ nor __post_init__ runs.
[[nodiscard]] nanobind::object tree_unflatten(std::span<const nanobind::object> leaves,
                                              const TreeSpec& spec);

// Whether the class was registered with register_pytree_node.
[[nodiscard]] bool is_registered_class(PyTypeObject* type);
// The field names of a named tuple or of a dataclass; invalid for other classes.
[[nodiscard]] nanobind::object fields_of_class(PyTypeObject* type, TreeKind kind);

void bind_pytree(nanobind::module_& m);

}  // namespace opwright::python
