#include "bindings/pytree/batch_dims.h"

#include <nanobind/nanobind.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/value.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

const char* tree_kind_name(TreeKind kind) {
  switch (kind) {
    case TreeKind::Tuple:
      return "a tuple";
    case TreeKind::List:
      return "a list";
    case TreeKind::Dict:
    case TreeKind::OrderedDict:
    case TreeKind::DefaultDict:
      return "a dict";
    case TreeKind::NamedTuple:
      return "a named tuple";
    case TreeKind::Dataclass:
      return "an instance of a dataclass";
    case TreeKind::Registered:
      return "an instance of a registered class";
    default:
      return "one value";
  }
}

class DimSpreader {
 public:
  DimSpreader(const TreeSpec& spec, const std::string& what, const std::string& tree)
      : nodes_(spec.nodes()), what_(what), tree_(tree) {}

  // For the node at position_ and all below it.
  void add(PyObject* dims, const std::string& path) {
    const TreeNode& node = nodes_[position_];
    if (is_batch_dim(dims)) {
      const std::optional<int64_t> dim = batch_dim_of(dims);
      for (const size_t end = position_ + node.num_nodes; position_ < end; ++position_) {
        if (nodes_[position_].kind == TreeKind::Leaf) found_.push_back(dim);
      }
      return;
    }
    ++position_;
    switch (node.kind) {
      case TreeKind::Tuple:
      case TreeKind::NamedTuple:
        return add_items(node, dims, PyTuple_Check(dims), path);
      case TreeKind::List:
        return add_items(node, dims, PyList_Check(dims), path);
      case TreeKind::Dict:
      case TreeKind::OrderedDict:
      case TreeKind::DefaultDict:
        return add_values(node, dims, path);
      case TreeKind::Dataclass:
        return add_fields(node, dims, path);
      default:
        return fail(node, dims, path);
    }
  }

  [[nodiscard]] std::vector<std::optional<int64_t>> finish() { return std::move(found_); }

 private:
  [[noreturn]] void fail(const TreeNode& node, PyObject* dims, const std::string& path) const {
    const bool is_container = PyTuple_Check(dims) || PyList_Check(dims) || PyDict_Check(dims) ||
                              node.kind == TreeKind::Dataclass;
    OPWRIGHT_CHECK_VALUE(is_container, "vmap: ", what_,
                         " must be an int, None or a python collection of ints, but ", path,
                         " is a ", class_name(dims));
    throw_error("ValueError", "vmap: ", what_, " is not compatible with the structure of `", tree_,
                "`: ", path, " is a ", class_name(dims), ", but there is ",
                tree_kind_name(node.kind), "; give an int or None",
                node.num_children > 0 ? ", or the same container of these" : "");
  }

  void check_count(const TreeNode& node, Py_ssize_t count, const std::string& path) const {
    OPWRIGHT_CHECK_VALUE(
        static_cast<size_t>(count) == node.num_children, "vmap: ", what_,
        " is not compatible with the structure of `", tree_, "`: ", path, " has ", count,
        count == 1 ? " element, but there are " : " elements, but there are ", node.num_children);
  }

  void add_items(const TreeNode& node, PyObject* dims, bool fits, const std::string& path) {
    if (!fits) fail(node, dims, path);
    check_count(node, PySequence_Fast_GET_SIZE(dims), path);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(dims); ++i)
      add(PySequence_Fast_GET_ITEM(dims, i), concatenate(path, "[", i, "]"));
  }

  void add_values(const TreeNode& node, PyObject* dims, const std::string& path) {
    if (!PyDict_Check(dims)) fail(node, dims, path);
    check_count(node, PyDict_GET_SIZE(dims), path);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(node.children.ptr()); ++i) {
      PyObject* key = PyTuple_GET_ITEM(node.children.ptr(), i);
      const std::string text = nb::str(own(PyObject_Repr(key))).c_str();
      PyObject* value = PyDict_GetItemWithError(dims, key);
      OPWRIGHT_CHECK_VALUE(value, "vmap: ", what_, " is not compatible with the structure of `",
                           tree_, "`: ", path, " has no key ", text);
      add(value, concatenate(path, "[", text, "]"));
    }
  }

  void add_fields(const TreeNode& node, PyObject* dims, const std::string& path) {
    if (reinterpret_cast<PyObject*>(Py_TYPE(dims)) != node.type.ptr()) fail(node, dims, path);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(node.children.ptr()); ++i) {
      PyObject* name = PyTuple_GET_ITEM(node.children.ptr(), i);
      const nb::object value = own(PyObject_GetAttr(dims, name));
      add(value.ptr(), concatenate(path, ".", nb::str(nb::handle(name)).c_str()));
    }
  }

  const std::vector<TreeNode>& nodes_;
  const std::string& what_;
  const std::string& tree_;
  size_t position_ = 0;
  std::vector<std::optional<int64_t>> found_;
};

}  // namespace

bool is_batch_dim(PyObject* object) noexcept {
  return object == Py_None || (PyLong_Check(object) && !PyBool_Check(object));
}

std::optional<int64_t> batch_dim_of(PyObject* object) {
  if (object == Py_None) return std::nullopt;
  const long long dim = PyLong_AsLongLong(object);
  if (dim == -1 && PyErr_Occurred()) throw_python_error();
  return dim;
}

std::vector<std::optional<int64_t>> spread_batch_dims(PyObject* dims, const TreeSpec& spec,
                                                      const std::string& what,
                                                      const std::string& tree) {
  DimSpreader spreader(spec, what, tree);
  spreader.add(dims, what);
  return spreader.finish();
}

}  // namespace opwright::python
