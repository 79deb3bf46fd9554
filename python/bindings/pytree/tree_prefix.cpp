#include "bindings/pytree/tree_prefix.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/value.h"
#include "bindings/pytree/pytree.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

bool is_dict(TreeKind kind) {
  return kind == TreeKind::Dict || kind == TreeKind::OrderedDict || kind == TreeKind::DefaultDict;
}

bool are_equal(const nb::object& a, const nb::object& b) {
  const int are = PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ);
  require_no_error(are);
  return are == 1;
}

class PrefixReader {
 public:
  explicit PrefixReader(const TreeSpec& spec) : nodes_(spec.nodes()) {}

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the structure
  void add(PyObject* object) {
    const TreeNode& expected = nodes_[position_++];
    if (expected.kind == TreeKind::Leaf) return subtrees_.push_back(share(object));
    const TreeKind kind = tree_kind_of(object, {});
    const bool is_same = kind == expected.kind || (is_dict(kind) && is_dict(expected.kind));
    OPWRIGHT_CHECK_VALUE(is_same, "flatten_up_to: Node type mismatch; expected a ",
                         kind_text(expected), ", but got ", class_name(object));
    if (kind == TreeKind::None) return;
    TreeNode found;
    const nb::object items = open_node(object, kind, found);
    OPWRIGHT_CHECK_VALUE(found.num_children == expected.num_children,
                         "flatten_up_to: Node arity mismatch; expected ", expected.num_children,
                         ", but got ", found.num_children);
    if (is_dict(kind)) return add_values(expected, object);
    check_class(expected, found);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.ptr()); ++i)
      add(PyTuple_GET_ITEM(items.ptr(), i));
  }

  [[nodiscard]] std::vector<nb::object> finish() { return std::move(subtrees_); }

 private:
  static std::string kind_text(const TreeNode& node) {
    const bool has_class = node.type.is_valid() && PyType_Check(node.type.ptr());
    if (has_class && node.kind != TreeKind::DefaultDict)
      return reinterpret_cast<PyTypeObject*>(node.type.ptr())->tp_name;
    if (node.kind == TreeKind::None) return "None";
    if (is_dict(node.kind)) return "dict";
    return node.kind == TreeKind::List ? "list" : "tuple";
  }

  static void check_class(const TreeNode& expected, const TreeNode& found) {
    OPWRIGHT_CHECK_VALUE(found.type.is(expected.type), "flatten_up_to: Type mismatch; expected a ",
                         kind_text(expected), ", but got a ", kind_text(found));
    OPWRIGHT_CHECK_VALUE(
        found.kind != TreeKind::Registered || are_equal(expected.children, found.children),
        "flatten_up_to: Node context mismatch for custom node type ", kind_text(expected));
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void add_values(const TreeNode& expected, PyObject* dict) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(expected.children.ptr()); ++i) {
      PyObject* key = PyTuple_GET_ITEM(expected.children.ptr(), i);
      PyObject* value = PyDict_GetItemWithError(dict, key);
      if (!value && PyErr_Occurred()) throw_python_error();
      OPWRIGHT_CHECK_VALUE(value, "flatten_up_to: Node keys mismatch; missing key(s): ",
                           nb::repr(nb::handle(key)).c_str());
      add(share(value).ptr());
    }
  }

  const std::vector<TreeNode>& nodes_;
  size_t position_ = 0;
  std::vector<nb::object> subtrees_;
};

}  // namespace

std::vector<nb::object> subtrees_at_leaves(const TreeSpec& spec, PyObject* tree) {
  PrefixReader reader(spec);
  reader.add(tree);
  return reader.finish();
}

}  // namespace opwright::python
