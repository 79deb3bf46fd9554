#include "bindings/pytree/tree_spec.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "opwright/base/hash.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// A str as it is, anything else as its repr.
std::string str_or_repr(const nb::object& object) {
  const nb::object text = PyUnicode_Check(object.ptr()) ? object : own(PyObject_Repr(object.ptr()));
  if (const char* found = PyUnicode_AsUTF8(text.ptr())) return found;
  PyErr_Clear();  // half of a surrogate pair
  return PyUnicode_AsUTF8(own(PyObject_ASCII(text.ptr())).ptr());
}

std::string type_name(const nb::object& type) {
  if (!PyType_Check(type.ptr())) return str_or_repr(type);
  return str_or_repr(own(PyObject_GetAttrString(type.ptr(), "__qualname__")));
}

nb::object child_key(const TreeNode& node, size_t index) {
  return share(PyTuple_GET_ITEM(node.children.ptr(), static_cast<Py_ssize_t>(index)));
}

std::string key_text(const nb::object& key) {
  if (!PyUnicode_CheckExact(key.ptr())) return str_or_repr(key);
  return concatenate('"', str_or_repr(key), '"');
}

bool has_keys(TreeKind kind) {
  return kind == TreeKind::Dict || kind == TreeKind::OrderedDict || kind == TreeKind::DefaultDict;
}
bool has_fields(TreeKind kind) {
  return kind == TreeKind::NamedTuple || kind == TreeKind::Dataclass;
}

// "[0]", "[\"weight\"]", ".bias"
std::string step(const TreeNode& node, size_t index) {
  if (has_keys(node.kind)) return concatenate("[", key_text(child_key(node, index)), "]");
  if (has_fields(node.kind)) return concatenate(".", str_or_repr(child_key(node, index)));
  return concatenate("[", index, "]");
}

bool are_equal_objects(const nb::object& a, const nb::object& b) {
  if (a.ptr() == b.ptr()) return true;
  if (!a.is_valid() || !b.is_valid()) return false;
  const int are = PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ);
  require_no_error(are);
  return are == 1;
}

bool are_equal_objects(const TreeNode& a, const TreeNode& b) {
  return a.kind == b.kind && a.num_children == b.num_children && a.type.is(b.type) &&
         are_equal_objects(a.children, b.children);
}

// The hash of an object that may not be hashable: a registered class may return a list.
uint64_t hash_if_any(const nb::object& object) {
  if (!object.is_valid()) return 0;
  const Py_hash_t hash = PyObject_Hash(object.ptr());
  if (hash != -1) return static_cast<uint64_t>(hash);
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw_python_error();
  PyErr_Clear();
  return 0;
}

const char* opening(TreeKind kind) {
  if (kind == TreeKind::List) return "[";
  return has_keys(kind) ? "{" : "(";
}

const char* closing(const TreeNode& node) {
  if (node.kind == TreeKind::List) return "]";
  if (has_keys(node.kind)) return "}";
  return node.kind == TreeKind::Tuple && node.num_children == 1 ? ",)" : ")";
}

// The text before the opening bracket.
std::string head(const TreeNode& node) {
  switch (node.kind) {
    case TreeKind::OrderedDict:
      return "OrderedDict(";
    case TreeKind::DefaultDict:
      return concatenate("defaultdict(", type_name(node.type), ", ");
    case TreeKind::NamedTuple:
    case TreeKind::Dataclass:
      return type_name(node.type);
    case TreeKind::Registered:
      return node.children.is_none()
                 ? type_name(node.type)
                 : concatenate(type_name(node.type), "[", key_text(node.children), "]");
    default:
      return "";
  }
}

// Appends the text of the node at `position`; returns the position of the next one.
size_t append_text(const std::vector<TreeNode>& nodes, size_t position, std::string& text) {
  const TreeNode& node = nodes[position++];
  if (node.kind == TreeKind::Leaf || node.kind == TreeKind::None) {
    text += node.kind == TreeKind::Leaf ? "*" : "None";
    return position;
  }
  text.append(head(node)).append(opening(node.kind));
  for (size_t i = 0; i < node.num_children; ++i) {
    if (i > 0) text += ", ";
    if (has_keys(node.kind)) text += key_text(child_key(node, i)) + ": ";
    if (has_fields(node.kind)) text += str_or_repr(child_key(node, i)) + "=";
    position = append_text(nodes, position, text);
  }
  text += closing(node);
  if (node.kind == TreeKind::OrderedDict || node.kind == TreeKind::DefaultDict) text += ")";
  return position;
}

std::string keys_text(const TreeNode& node) {
  std::string text;
  for (size_t i = 0; i < node.num_children; ++i) {
    text.append(i == 0 ? "" : ", ").append(key_text(child_key(node, i)));
  }
  return text;
}

// "a list of 3", for errors.
std::string describe(const TreeNode& node) {
  switch (node.kind) {
    case TreeKind::Leaf:
      return "a leaf";
    case TreeKind::None:
      return "None";
    case TreeKind::Tuple:
      return concatenate("a tuple of ", node.num_children);
    case TreeKind::List:
      return concatenate("a list of ", node.num_children);
    case TreeKind::Dict:
      return concatenate("a dict with the keys ", keys_text(node));
    case TreeKind::OrderedDict:
      return concatenate("an OrderedDict with the keys ", keys_text(node));
    case TreeKind::DefaultDict:
      return concatenate("a defaultdict of ", type_name(node.type), " with the keys ",
                         keys_text(node));
    case TreeKind::Registered:
      return concatenate(head(node), " of ", node.num_children);
    default:
      return concatenate("a ", type_name(node.type), " with the fields ", keys_text(node));
  }
}

}  // namespace

TreeSpec::TreeSpec(std::vector<TreeNode> nodes) {
  auto* body = new Body;
  body->nodes = std::move(nodes);
  const auto is_leaf = [](const TreeNode& node) { return node.kind == TreeKind::Leaf; };
  body->num_leaves = static_cast<size_t>(std::ranges::count_if(body->nodes, is_leaf));
  body_ = IntrusivePtr<const Body>::take(body);
}

std::vector<TreeSpec> TreeSpec::children() const {
  std::vector<TreeSpec> children;
  for (size_t at = 1; at < nodes().size(); at += nodes()[at].num_nodes) {
    const auto begin = nodes().begin() + static_cast<std::ptrdiff_t>(at);
    children.emplace_back(std::vector<TreeNode>(begin, begin + nodes()[at].num_nodes));
  }
  return children;
}

std::string TreeSpec::leaf_path(size_t index, std::string_view root) const {
  OPWRIGHT_CHECK_INDEX(index < num_leaves(), "leaf_path: the structure has ", num_leaves(),
                       num_leaves() == 1 ? " leaf" : " leaves", ", so there is no leaf ", index);
  size_t position = 0;
  for (size_t seen = 0;; ++position) {
    if (nodes()[position].kind == TreeKind::Leaf && seen++ == index) break;
  }
  return path_of(position, root);
}

std::string TreeSpec::path_of(size_t position, std::string_view root) const {
  std::string path(root);
  size_t at = 0;
  while (at != position) {
    const TreeNode& node = nodes()[at];
    size_t index = 0;
    for (++at; at + nodes()[at].num_nodes <= position; ++index) at += nodes()[at].num_nodes;
    path += step(node, index);
  }
  return path;
}

std::string TreeSpec::text() const {
  std::string text;
  append_text(nodes(), 0, text);
  return text;
}

uint64_t TreeSpec::hash() const {
  uint64_t hash = nodes().size();
  for (const TreeNode& node : nodes()) {
    const uint64_t shape = static_cast<uint64_t>(node.kind) << 32 | node.num_children;
    hash = hash_combine(hash_combine(hash, shape), hash_if_any(node.children));
  }
  return hash;
}

std::optional<size_t> TreeSpec::first_difference(const TreeSpec& other) const {
  if (body_ == other.body_) return std::nullopt;
  // Nodes before the first difference have the same children, so the positions are the same too.
  for (size_t i = 0; i < nodes().size(); ++i) {
    if (!are_equal_objects(nodes()[i], other.nodes()[i])) return i;
  }
  return std::nullopt;
}

std::optional<std::string> TreeSpec::find_difference(const TreeSpec& given,
                                                     std::string_view root) const {
  const std::optional<size_t> place = first_difference(given);
  if (!place) return std::nullopt;
  return concatenate(path_of(*place, root), " is ", describe(given.nodes()[*place]), ", expected ",
                     describe(nodes()[*place]));
}

}  // namespace opwright::python
