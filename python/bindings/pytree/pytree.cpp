#include "bindings/pytree/pytree.h"

#include <unordered_map>
#include <utility>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/size_object.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

struct RegisteredClass {
  nb::object type;
  nb::object flatten;
  nb::object unflatten;
};

// By class; for the lifetime of the process. Under the GIL.
std::unordered_map<PyTypeObject*, RegisteredClass>& registered_classes() {
  static auto* classes = new std::unordered_map<PyTypeObject*, RegisteredClass>;
  return *classes;
}

PyObject* as_object(PyTypeObject* type) { return reinterpret_cast<PyObject*>(type); }

// A class of collections, cached in `type`. The import may let other threads run, so the guard of a
// static initializer could wait for a thread that waits for the GIL.
PyTypeObject* collections_type(PyTypeObject*& type, const char* name) {
  if (!type) {
    nb::object found = nb::module_::import_("collections").attr(name);
    type = reinterpret_cast<PyTypeObject*>(found.release().ptr());
  }
  return type;
}
PyTypeObject* ordered_dict_type() {
  static PyTypeObject* type = nullptr;
  return collections_type(type, "OrderedDict");
}
PyTypeObject* default_dict_type() {
  static PyTypeObject* type = nullptr;
  return collections_type(type, "defaultdict");
}

// Avoids the exception of a failing attribute look-up: most leaves do not have it.
bool class_has(PyTypeObject* type, const char* name) {
  const nb::object text = own(PyUnicode_InternFromString(name));
  PyObject* order = type->tp_mro;
  for (Py_ssize_t i = 0; order && i < PyTuple_GET_SIZE(order); ++i) {
    auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(order, i));
#if PY_VERSION_HEX >= 0x030c0000
    const nb::object names = nb::steal(PyType_GetDict(base));
#else
    const nb::object names = nb::borrow(base->tp_dict);
#endif
    if (names.is_valid() && PyDict_GetItemWithError(names.ptr(), text.ptr())) return true;
  }
  return false;
}

}  // namespace

TreeKind tree_kind_of(PyObject* object, const TreeRules& rules) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == tensor_type || type == &PyLong_Type || type == &PyFloat_Type ||
      type == &PyBool_Type || type == &PyUnicode_Type)
    return TreeKind::Leaf;
  if (is_plain_tuple(object)) return TreeKind::Tuple;
  if (type == &PyList_Type) return TreeKind::List;
  if (type == &PyDict_Type) return TreeKind::Dict;
  if (object == Py_None) return rules.registered_only ? TreeKind::Leaf : TreeKind::None;
  if (registered_classes().contains(type)) return TreeKind::Registered;
  if (PyDict_Check(object)) {
    if (type == ordered_dict_type()) return TreeKind::OrderedDict;
    if (type == default_dict_type()) return TreeKind::DefaultDict;
  }
  if (PyTuple_Check(object) && class_has(type, "_fields")) return TreeKind::NamedTuple;
  const bool can_have_fields =
      !rules.registered_only && !PyType_Check(object) && !is_tensor(object);
  if (can_have_fields && class_has(type, "__dataclass_fields__")) return TreeKind::Dataclass;
  return TreeKind::Leaf;
}

namespace {

nb::object field_names(PyTypeObject* dataclass) {
  nb::list names;
  for (const nb::handle field :
       nb::module_::import_("dataclasses").attr("fields")(nb::handle(as_object(dataclass)))) {
    names.append(field.attr("name"));
  }
  return nb::tuple(names);
}

nb::object field_values(PyObject* object, const nb::object& names) {
  const Py_ssize_t count = PyTuple_GET_SIZE(names.ptr());
  nb::object values = own(PyTuple_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* value = PyObject_GetAttr(object, PyTuple_GET_ITEM(names.ptr(), i));
    PyTuple_SET_ITEM(values.ptr(), i, require(value));
  }
  return values;
}

nb::object open_dict(PyObject* object, TreeNode& node) {
  const nb::object keys = own(PyDict_Keys(object));
  const nb::object values = own(PyDict_Values(object));
  node.children = own(PyList_AsTuple(keys.ptr()));
  return own(PyList_AsTuple(values.ptr()));
}

nb::object open_named_tuple(PyObject* object, TreeNode& node) {
  node.type = share(as_object(Py_TYPE(object)));
  node.children = own(PyObject_GetAttrString(object, "_fields"));
  const nb::object& names = node.children;
  OPWRIGHT_CHECK_TYPE(
      PyTuple_Check(names.ptr()) && PyTuple_GET_SIZE(names.ptr()) == PyTuple_GET_SIZE(object),
      "tree_flatten: the tuple ", class_name(object),
      " has _fields, but not one name for each of its items");
  return share(object);
}

nb::object open_registered(PyObject* object, TreeNode& node) {
  node.type = share(as_object(Py_TYPE(object)));
  const nb::object flatten = registered_classes().at(Py_TYPE(object)).flatten;
  const nb::object given = flatten(nb::handle(object));
  OPWRIGHT_CHECK_TYPE(PyTuple_Check(given.ptr()) && PyTuple_GET_SIZE(given.ptr()) == 2,
                      "tree_flatten: the flatten function of ", class_name(object),
                      " must return the children and the context for unflatten, got ",
                      class_name(given.ptr()));
  nb::object children = nb::steal(PySequence_Tuple(PyTuple_GET_ITEM(given.ptr(), 0)));
  if (!children.is_valid()) throw_python_error();
  node.children = share(PyTuple_GET_ITEM(given.ptr(), 1));
  return children;
}

}  // namespace

// `node` gets its kind, its class and what its children are called.
nb::object open_node(PyObject* object, TreeKind kind, TreeNode& node) {
  nb::object items;
  node.kind = kind;
  switch (kind) {
    case TreeKind::Tuple:
      items = share(object);
      break;
    case TreeKind::List:
      items = own(PyList_AsTuple(object));
      break;
    case TreeKind::DefaultDict:
      node.type = own(PyObject_GetAttrString(object, "default_factory"));
      [[fallthrough]];
    case TreeKind::Dict:
    case TreeKind::OrderedDict:
      items = open_dict(object, node);
      break;
    case TreeKind::NamedTuple:
      items = open_named_tuple(object, node);
      break;
    case TreeKind::Dataclass:
      node.type = share(as_object(Py_TYPE(object)));
      node.children = field_names(Py_TYPE(object));
      items = field_values(object, node.children);
      break;
    case TreeKind::Registered:
      items = open_registered(object, node);
      break;
    default:  // None
      return items;
  }
  node.num_children = static_cast<uint32_t>(PyTuple_GET_SIZE(items.ptr()));
  return items;
}

namespace {

class Flattener {
 public:
  explicit Flattener(const TreeRules& rules) : rules_(rules) {}

  void add(PyObject* object) {
    const TreeKind kind =
        is_leaf_by_rule(object, rules_) ? TreeKind::Leaf : tree_kind_of(object, rules_);
    if (kind == TreeKind::Leaf) {
      nodes_.emplace_back();
      leaves_.push_back(share(object));
      return;
    }
    if (++level_ > kMostTreeLevels) {
      throw_error("RecursionError", "tree_flatten: a ", class_name(object), " is more than ",
                  kMostTreeLevels, " containers deep; does one of them contain itself?");
    }
    const size_t place = nodes_.size();
    TreeNode node;
    const nb::object items = open_node(object, kind, node);
    nodes_.push_back(std::move(node));
    for (uint32_t i = 0; i < nodes_[place].num_children; ++i)
      add(PyTuple_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(i)));
    nodes_[place].num_nodes = static_cast<uint32_t>(nodes_.size() - place);
    --level_;
  }

  FlatTree finish() { return {std::move(leaves_), TreeSpec(std::move(nodes_))}; }

 private:
  const TreeRules& rules_;
  std::vector<TreeNode> nodes_;
  std::vector<nb::object> leaves_;
  int level_ = 0;
};

nb::object fill_dict(nb::object dict, const TreeNode& node, const nb::object& items) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.ptr()); ++i) {
    require_no_error(PyObject_SetItem(dict.ptr(), PyTuple_GET_ITEM(node.children.ptr(), i),
                                      PyTuple_GET_ITEM(items.ptr(), i)));
  }
  return dict;
}

nb::object make_dataclass(const TreeNode& node, const nb::object& items) {
  nb::object made = nb::handle(as_object(&PyBaseObject_Type)).attr("__new__")(node.type);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.ptr()); ++i) {
    // Like object.__setattr__: a frozen class rejects its own.
    require_no_error(PyObject_GenericSetAttr(made.ptr(), PyTuple_GET_ITEM(node.children.ptr(), i),
                                             PyTuple_GET_ITEM(items.ptr(), i)));
  }
  return made;
}

nb::object make_node(const TreeNode& node, nb::object items) {
  switch (node.kind) {
    case TreeKind::List:
      return own(PySequence_List(items.ptr()));
    case TreeKind::Dict:
      return fill_dict(nb::dict(), node, items);
    case TreeKind::OrderedDict:
      return fill_dict(nb::handle(as_object(ordered_dict_type()))(), node, items);
    case TreeKind::DefaultDict:
      return fill_dict(nb::handle(as_object(default_dict_type()))(node.type), node, items);
    case TreeKind::NamedTuple: {
      // A class may have its own __new__ with other arguments.
      const nb::object make = nb::handle(as_object(&PyTuple_Type)).attr("__new__");
      return make(node.type, items);
    }
    case TreeKind::Dataclass:
      return make_dataclass(node, items);
    case TreeKind::Registered: {
      auto* type = reinterpret_cast<PyTypeObject*>(node.type.ptr());
      const nb::object unflatten = registered_classes().at(type).unflatten;
      return unflatten(items, node.children);
    }
    default:
      return items;  // a tuple
  }
}

class Unflattener {
 public:
  Unflattener(std::span<const nb::object> leaves, const TreeSpec& spec)
      : leaf_(leaves.data()), nodes_(spec.nodes()) {}

  nb::object next() {
    const TreeNode& node = nodes_[position_++];
    if (node.kind == TreeKind::Leaf) return *leaf_++;
    if (node.kind == TreeKind::None) return nb::none();
    nb::object items = own(PyTuple_New(node.num_children));
    for (uint32_t i = 0; i < node.num_children; ++i) {
      PyTuple_SET_ITEM(items.ptr(), i, next().release().ptr());
    }
    return make_node(node, std::move(items));
  }

 private:
  const nb::object* leaf_;
  const std::vector<TreeNode>& nodes_;
  size_t position_ = 0;
};

nb::list object_list(const std::vector<nb::object>& objects) {
  auto list = nb::steal<nb::list>(require(PyList_New(static_cast<Py_ssize_t>(objects.size()))));
  for (size_t i = 0; i < objects.size(); ++i) {
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), Py_NewRef(objects[i].ptr()));
  }
  return list;
}

void register_class(const nb::object& type, nb::object flatten, nb::object unflatten) {
  OPWRIGHT_CHECK_TYPE(PyType_Check(type.ptr()),
                      "register_pytree_node: the first argument must be a class, got ",
                      class_name(type.ptr()));
  auto* python_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  const bool is_built_in = python_type == &PyTuple_Type || python_type == &PyList_Type ||
                           python_type == &PyDict_Type || python_type == Py_TYPE(Py_None) ||
                           python_type == tensor_type || python_type == &PyLong_Type ||
                           python_type == &PyFloat_Type || python_type == &PyBool_Type ||
                           python_type == &PyUnicode_Type;
  OPWRIGHT_CHECK_VALUE(!is_built_in, "register_pytree_node: what a ", python_type->tp_name,
                       " means in a tree cannot be changed");
  OPWRIGHT_CHECK_TYPE(PyCallable_Check(flatten.ptr()) && PyCallable_Check(unflatten.ptr()),
                      "register_pytree_node: flatten and unflatten of ", python_type->tp_name,
                      " must be functions");
  const bool is_new = registered_classes()
                          .try_emplace(python_type, type, std::move(flatten), std::move(unflatten))
                          .second;
  OPWRIGHT_CHECK_VALUE(is_new, "register_pytree_node: ", python_type->tp_name,
                       " is already registered as pytree node");
}

}  // namespace

bool is_leaf_by_rule(PyObject* object, const TreeRules& rules) {
  if (!rules.is_leaf) [[likely]]
    return false;
  const nb::object given = own(PyObject_CallOneArg(rules.is_leaf, object));
  const int is_true = PyObject_IsTrue(given.ptr());
  require_no_error(is_true);
  return is_true == 1;
}

FlatTree tree_flatten(PyObject* tree, const TreeRules& rules) {
  Flattener flattener(rules);
  flattener.add(tree);
  return flattener.finish();
}

nb::object tree_unflatten(std::span<const nb::object> leaves, const TreeSpec& spec) {
  OPWRIGHT_CHECK_VALUE(leaves.size() == spec.num_leaves(), "tree_unflatten: the structure ",
                       spec.text(), " has ", spec.num_leaves(),
                       spec.num_leaves() == 1 ? " leaf" : " leaves", ", got ", leaves.size());
  return Unflattener(leaves, spec).next();
}

bool is_registered_class(PyTypeObject* type) { return registered_classes().contains(type); }

nb::object fields_of_class(PyTypeObject* type, TreeKind kind) {
  if (kind == TreeKind::Dataclass) {
    return class_has(type, "__dataclass_fields__") ? field_names(type) : nb::object();
  }
  const bool is_named = PyType_IsSubtype(type, &PyTuple_Type) && class_has(type, "_fields");
  return is_named ? own(PyObject_GetAttrString(as_object(type), "_fields")) : nb::object();
}

void bind_pytree(nb::module_& m) {
  m.def(
      "tree_flatten",
      [](const nb::handle& tree, const nb::handle& is_leaf, bool registered_only) {
        const TreeRules rules{.is_leaf = is_leaf.is_none() ? nullptr : is_leaf.ptr(),
                              .registered_only = registered_only};
        FlatTree flat = tree_flatten(tree.ptr(), rules);
        return nb::make_tuple(object_list(flat.leaves), std::move(flat.spec));
      },
      nb::arg("tree").none(), nb::arg("is_leaf") = nb::none(), nb::kw_only(),
      nb::arg("registered_only") = false,
      "Return the leaves of a pytree as a list, and its structure.\n\n"
      "`is_leaf(node)` returns True for further leaves. With `registered_only`, None and instances "
      "of\ndataclasses that are not registered are leaves.\n\n"
      ">>> from opwright.pytree import tree_flatten\n"
      ">>> tree_flatten((1, {\"a\": 2, \"b\": None}))\n"
      "([1, 2], TreeSpec((*, {\"a\": *, \"b\": None})))\n");
  m.def(
      "tree_unflatten",
      [](const nb::object& leaves, const TreeSpec& spec) {
        std::vector<nb::object> objects;
        for (const nb::handle leaf : leaves) objects.push_back(nb::borrow(leaf));
        return tree_unflatten(objects, spec);
      },
      nb::arg("leaves"), nb::arg("spec"),
      "Return the tree of that structure with other leaves.\n\n"
      ">>> from opwright.pytree import tree_flatten, tree_unflatten\n"
      ">>> leaves, spec = tree_flatten({\"a\": 1, \"b\": [2]})\n"
      ">>> tree_unflatten([10, 20], spec)\n"
      "{'a': 10, 'b': [20]}\n");
  m.def("register_pytree_node", &register_class, nb::arg("cls").none(), nb::arg("flatten").none(),
        nb::arg("unflatten").none(),
        "Register a class as a pytree node.\n\n"
        "`flatten(instance)` returns the children and anything else that `unflatten(children, "
        "that)`\nneeds to make an instance.\n\n"
        ">>> from opwright.pytree import register_pytree_node, tree_map\n"
        ">>> class Pair:\n"
        "...     def __init__(self, a, b):\n"
        "...         self.a, self.b = a, b\n"
        ">>> register_pytree_node(\n"
        "...     Pair, lambda pair: ((pair.a, pair.b), None), lambda children, _: Pair(*children)\n"
        "... )\n"
        ">>> tree_map(lambda x: x + 1, Pair(1, 2)).b\n"
        "3\n");
}

}  // namespace opwright::python
