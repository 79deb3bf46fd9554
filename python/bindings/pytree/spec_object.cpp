#include "bindings/pytree/spec_object.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/value.h"
#include "bindings/pytree/pytree.h"
#include "bindings/pytree/tree_prefix.h"
#include "bindings/pytree/tree_spec.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

nb::object class_in_collections(const char* name) {
  return nb::module_::import_("collections").attr(name);
}

nb::object class_object(PyTypeObject* type) { return share(reinterpret_cast<PyObject*>(type)); }

nb::object list_of(const nb::object& sequence) { return own(PySequence_List(sequence.ptr())); }
nb::object tuple_of(const nb::handle& sequence) { return own(PySequence_Tuple(sequence.ptr())); }

nb::object spec_type(const TreeSpec& spec) {
  const TreeNode& root = spec.nodes()[0];
  switch (root.kind) {
    case TreeKind::Leaf:
      return nb::none();
    case TreeKind::None:
      return class_object(Py_TYPE(Py_None));
    case TreeKind::Tuple:
      return class_object(&PyTuple_Type);
    case TreeKind::List:
      return class_object(&PyList_Type);
    case TreeKind::Dict:
      return class_object(&PyDict_Type);
    case TreeKind::OrderedDict:
      return class_in_collections("OrderedDict");
    case TreeKind::DefaultDict:
      return class_in_collections("defaultdict");
    case TreeKind::NamedTuple:
      return class_in_collections("namedtuple");
    default:
      return root.type;
  }
}

nb::object spec_context(const TreeSpec& spec) {
  const TreeNode& root = spec.nodes()[0];
  switch (root.kind) {
    case TreeKind::Dict:
    case TreeKind::OrderedDict:
    case TreeKind::Dataclass:
      return list_of(root.children);
    case TreeKind::DefaultDict: {
      nb::list both;
      both.append(root.type);
      both.append(list_of(root.children));
      return both;
    }
    case TreeKind::NamedTuple:
      return root.type;
    case TreeKind::Registered:
      return root.children;
    default:
      return nb::none();
  }
}

// The kind of a container class, and what its node holds.
void describe_root(TreeNode& root, const nb::object& type, const nb::object& context) {
  if (type.is(class_object(&PyTuple_Type))) {
    root.kind = TreeKind::Tuple;
  } else if (type.is(class_object(&PyList_Type))) {
    root.kind = TreeKind::List;
  } else if (type.is(class_object(&PyDict_Type)) || type.is(class_in_collections("OrderedDict"))) {
    const bool is_dict = type.is(class_object(&PyDict_Type));
    root.kind = is_dict ? TreeKind::Dict : TreeKind::OrderedDict;
    root.children = tuple_of(context);
  } else if (type.is(class_in_collections("defaultdict"))) {
    root.kind = TreeKind::DefaultDict;
    root.type = nb::borrow(context[0]);
    root.children = tuple_of(context[1]);
  } else if (type.is(class_in_collections("namedtuple"))) {
    root.kind = TreeKind::NamedTuple;
    root.type = context;
    root.children = tuple_of(context.attr("_fields"));
  } else if (type.is(class_object(Py_TYPE(Py_None)))) {
    root.kind = TreeKind::None;
  } else {
    OPWRIGHT_CHECK_TYPE(PyType_Check(type.ptr()), "TreeSpec: the type must be a class, got ",
                        class_name(type.ptr()));
    auto* python_type = reinterpret_cast<PyTypeObject*>(type.ptr());
    const bool is_registered = is_registered_class(python_type);
    root.type = type;
    root.kind = is_registered ? TreeKind::Registered : TreeKind::Dataclass;
    root.children = is_registered ? context : fields_of_class(python_type, TreeKind::Dataclass);
    OPWRIGHT_CHECK_VALUE(root.children.is_valid(), "TreeSpec: ", python_type->tp_name,
                         " is not registered as a pytree node");
  }
}

TreeSpec make_spec(const nb::object& type, const nb::object& context,
                   const std::vector<TreeSpec>& children) {
  std::vector<TreeNode> nodes(1);
  if (!type.is_none()) {
    describe_root(nodes[0], type, context);
  } else {
    OPWRIGHT_CHECK_VALUE(children.empty() && context.is_none(),
                         "TreeSpec: a leaf has neither a context nor children");
  }
  for (const TreeSpec& child : children)
    nodes.insert(nodes.end(), child.nodes().begin(), child.nodes().end());
  nodes[0].num_children = static_cast<uint32_t>(children.size());
  nodes[0].num_nodes = static_cast<uint32_t>(nodes.size());
  const bool is_named = nodes[0].kind != TreeKind::Registered && nodes[0].children.is_valid();
  OPWRIGHT_CHECK_VALUE(
      !is_named || PyTuple_GET_SIZE(nodes[0].children.ptr()) == nodes[0].num_children,
      "TreeSpec: the context names another number of children than the ", children.size(),
      " given");
  return TreeSpec(std::move(nodes));
}

TreeSpec child_at(const TreeSpec& spec, int64_t index) {
  const std::vector<TreeSpec> children = spec.children();
  const auto count = static_cast<int64_t>(children.size());
  OPWRIGHT_CHECK_INDEX(index >= -count && index < count, "TreeSpec.child: the structure has ",
                       count, " children, so there is no child ", index);
  return children[static_cast<size_t>(index < 0 ? index + count : index)];
}

std::vector<nb::object> objects_of(const nb::object& leaves) {
  std::vector<nb::object> objects;
  for (const nb::handle leaf : leaves) objects.push_back(nb::borrow(leaf));
  return objects;
}

nb::list flatten_up_to(const TreeSpec& spec, const nb::object& tree) {
  nb::list subtrees;
  for (const nb::object& each : subtrees_at_leaves(spec, tree.ptr())) subtrees.append(each);
  return subtrees;
}

// Keys, field names or indices of the root's children.
nb::list child_keys(const TreeSpec& spec) {
  const TreeNode& root = spec.nodes()[0];
  const bool is_named = root.kind != TreeKind::Registered && root.children.is_valid();
  if (is_named) return nb::steal<nb::list>(require(PySequence_List(root.children.ptr())));
  nb::list numbers;
  for (uint32_t i = 0; i < root.num_children; ++i) numbers.append(i);
  return numbers;
}

const char* spec_kind_name(const TreeSpec& spec) {
  switch (spec.nodes()[0].kind) {
    case TreeKind::Leaf:
      return "leaf";
    case TreeKind::None:
      return "None";
    case TreeKind::Tuple:
      return "tuple";
    case TreeKind::List:
      return "list";
    case TreeKind::Dict:
    case TreeKind::OrderedDict:
    case TreeKind::DefaultDict:
      return "dict";
    case TreeKind::NamedTuple:
      return "namedtuple";
    case TreeKind::Dataclass:
      return "dataclass";
    case TreeKind::Registered:
      return "registered";
  }
  return "";
}

}  // namespace

void bind_tree_spec(nb::module_& m) {
  nb::class_<TreeSpec>(m, "TreeSpec",
                       "The structure of a pytree, without its leaves.\n\n"
                       ">>> from opwright.pytree import tree_flatten\n"
                       ">>> _, spec = tree_flatten({\"weight\": 1, \"bias\": [2, None]})\n"
                       ">>> spec\n"
                       "TreeSpec({\"weight\": *, \"bias\": [*, None]})\n")
      .def(
          "__init__",
          [](TreeSpec* self, const nb::object& type, const nb::object& context,
             const std::vector<TreeSpec>& children) {
            new (self) TreeSpec(make_spec(type, context, children));
          },
          nb::arg("type").none(), nb::arg("context").none(), nb::arg("children_specs"),
          "Make the structure of a container from its class, what `context` returns for it, and "
          "the structures of its children.")
      .def(
          "__reduce__",
          [](const nb::object& self) {
            return nb::make_tuple(
                self.type(),
                nb::make_tuple(self.attr("type"), self.attr("context"), self.attr("children")()));
          },
          "Pickle the structure; the classes of its containers must be importable.")
      .def_prop_ro("type", &spec_type,
                   "The class of the outermost container, collections.namedtuple for any named "
                   "tuple, None for a leaf.")
      .def_prop_ro("context", &spec_context,
                   "The keys of a dict, the class of a named tuple, the fields of a dataclass, or "
                   "what the flatten function of a registered class returned.")
      .def_prop_ro(
          "num_nodes", [](const TreeSpec& spec) { return spec.nodes().size(); },
          "The number of containers and leaves.")
      .def_prop_ro(
          "num_children", [](const TreeSpec& spec) { return spec.nodes()[0].num_children; },
          "The number of children of the outermost container.")
      .def(
          "is_leaf", [](const TreeSpec& spec) { return spec.nodes()[0].kind == TreeKind::Leaf; },
          "Return whether the tree is one leaf.")
      .def("child", &child_at, nb::arg("index"), "Return the structure of one child.")
      .def("flatten_up_to", &flatten_up_to, nb::arg("tree").none(),
           "Return the subtrees of `tree` at the leaves of this structure.\n\n"
           "ValueError if the tree has another structure above them.\n\n"
           ">>> from opwright.pytree import tree_structure\n"
           ">>> tree_structure({\"x\": 1, \"y\": 2}).flatten_up_to({\"y\": (3, 4), \"x\": 5})\n"
           "[5, (3, 4)]\n")
      .def(
          "unflatten",
          [](const TreeSpec& spec, const nb::object& leaves) {
            return tree_unflatten(objects_of(leaves), spec);
          },
          nb::arg("leaves"), "Return the tree of this structure with these leaves.")
      .def_prop_ro("num_leaves", &TreeSpec::num_leaves, "The number of leaves.")
      .def_prop_ro("kind", &spec_kind_name,
                   "The outermost container: leaf, None, tuple, list, dict, namedtuple, "
                   "dataclass or registered.")
      .def("keys", &child_keys,
           "Return the keys, fields or indices of the outermost container.\n\n"
           ">>> from opwright.pytree import tree_flatten\n"
           ">>> tree_flatten({\"x\": 1, \"y\": 2})[1].keys()\n"
           "['x', 'y']\n")
      .def("children", &TreeSpec::children,
           "Return the structures of the outermost container's children.\n\n"
           ">>> from opwright.pytree import tree_flatten\n"
           ">>> tree_flatten((1, [2, 3]))[1].children()\n"
           "[TreeSpec(*), TreeSpec([*, *])]\n")
      .def("leaf_path", &TreeSpec::leaf_path, nb::arg("index"), nb::arg("root") = "",
           "Return the path of a leaf in a tree named `root`.\n\n"
           ">>> from opwright.pytree import tree_flatten\n"
           ">>> tree_flatten(({\"weight\": 1},))[1].leaf_path(0, \"args\")\n"
           "'args[0][\"weight\"]'\n")
      .def("find_difference", &TreeSpec::find_difference, nb::arg("given"),
           nb::arg("root") = "tree",
           "Describe where and how `given` has another structure, or return None.\n\n"
           ">>> from opwright.pytree import tree_flatten\n"
           ">>> tree_flatten([1, 2])[1].find_difference(tree_flatten([1])[1])\n"
           "'tree is a list of 1, expected a list of 2'\n")
      .def(nb::self == nb::self)
      .def("__hash__", &TreeSpec::hash)
      .def("__repr__",
           [](const TreeSpec& spec) { return concatenate("TreeSpec(", spec.text(), ")"); });
}

}  // namespace opwright::python
