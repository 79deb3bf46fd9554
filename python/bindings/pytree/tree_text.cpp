#include "bindings/pytree/tree_text.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings/pytree/class_lookup.h"
#include "bindings/pytree/data_text.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// The characters of a bare name; other names are quoted.
bool is_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (const char character : text) {
    const bool is_letter = (character >= 'a' && character <= 'z') ||
                           (character >= 'A' && character <= 'Z') || character == '_';
    if (!is_letter && !(character >= '0' && character <= '9')) return false;
  }
  return true;
}

void append_name(std::string_view name, std::string& text) {
  if (is_name(name)) {
    text += name;
  } else {
    append_quoted(name, text);
  }
}

class TreeWriter {
 public:
  TreeWriter(const TreeSpec& spec, std::span<const std::string> names)
      : nodes_(spec.nodes()), names_(names) {}

  std::string write() {
    append(0);
    return std::move(text_);
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): as deep as tree_flatten admits
  void append(int level) {
    const TreeNode& node = nodes_[position_++];
    switch (node.kind) {
      case TreeKind::Leaf:
        text_ += '*';
        return;
      case TreeKind::None:
        text_ += "None";
        return;
      case TreeKind::Tuple:
        return append_children(node, "(", node.num_children == 1 ? ",)" : ")", level);
      case TreeKind::List:
        return append_children(node, "[", "]", level);
      case TreeKind::Dict:
        return append_children(node, "{", "}", level);
      case TreeKind::OrderedDict:
        return append_children(node, "OrderedDict({", "})", level);
      case TreeKind::DefaultDict:
        text_ += "defaultdict(";
        append_factory(node.type);
        return append_children(node, ", {", "})", level);
      case TreeKind::NamedTuple:
      case TreeKind::Dataclass:
      case TreeKind::Registered:
        append_class(node);
        return append_children(node, "(", ")", level);
    }
  }

  void append_factory(const nb::object& factory) {
    if (factory.is_none()) {
      text_ += "None";
    } else if (PyType_Check(factory.ptr())) {
      append_quoted(class_place(factory), text_);
    } else {
      append_data(factory, text_);
    }
  }

  void append_class(const TreeNode& node) {
    if (node.kind == TreeKind::NamedTuple) text_ += "namedtuple ";
    if (node.kind == TreeKind::Dataclass) text_ += "dataclass ";
    if (node.kind == TreeKind::Registered) text_ += "registered ";
    append_quoted(class_place(node.type), text_);
    if (node.kind != TreeKind::Registered || node.children.is_none()) return;
    text_ += '[';
    append_data(node.children, text_);
    text_ += ']';
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void append_children(const TreeNode& node, std::string_view opening, std::string_view closing,
                       int level) {
    text_ += opening;
    for (uint32_t i = 0; i < node.num_children; ++i) {
      if (i > 0) text_ += ", ";
      if (level != 1 || !append_parameter(node)) append_key(node, i);
      append(level + 1);
    }
    text_ += closing;
  }

  // The next of the names, which belong to the children of the root's two children.
  bool append_parameter(const TreeNode& node) {
    if (num_names_ == names_.size()) return false;
    const std::string& name = names_[num_names_++];
    if (name.empty()) return node.kind == TreeKind::Tuple;
    append_name(name, text_);
    text_ += '=';
    return true;
  }

  void append_key(const TreeNode& node, uint32_t index) {
    const bool has_keys = node.kind == TreeKind::Dict || node.kind == TreeKind::OrderedDict ||
                          node.kind == TreeKind::DefaultDict;
    const bool has_fields = node.kind == TreeKind::NamedTuple || node.kind == TreeKind::Dataclass;
    if (!has_keys && !has_fields) return;
    const nb::handle key = PyTuple_GET_ITEM(node.children.ptr(), index);
    if (has_keys) {
      append_data(key, text_);
      text_ += ": ";
    } else {
      append_name(nb::cast<std::string>(nb::str(key)), text_);
      text_ += '=';
    }
  }

  const std::vector<TreeNode>& nodes_;
  std::span<const std::string> names_;
  size_t num_names_ = 0;
  size_t position_ = 0;
  std::string text_;
};

}  // namespace

std::string tree_text(const TreeSpec& spec) { return TreeWriter(spec, {}).write(); }

std::string call_text(const CallTree& call) { return TreeWriter(call.spec, call.names).write(); }

void bind_tree_text(nb::module_& m) {
  m.def("tree_text", &tree_text, nb::arg("spec"), "The structure as text that parses back.");
  m.def(
      "call_text",
      [](const TreeSpec& spec, const std::vector<std::string>& names) {
        return call_text({spec, names});
      },
      nb::arg("spec"), nb::arg("names"),
      "The structure of a tuple and a dict of arguments, with parameter names.");
  m.def("read_tree_text", &read_tree_text, nb::arg("text"),
        "Parse a structure; ImportError for a class that does not exist.");
  m.def(
      "read_call_text",
      [](std::string_view text) {
        CallTree call = read_call_text(text);
        return nb::make_tuple(std::move(call.spec), call.names);
      },
      nb::arg("text"), "Parse the structure of arguments, and parameter names.");
  m.def("check_tree_text", &check_tree_text, nb::arg("text"),
        "Return the number of leaves, without looking up classes.");
  m.def("check_call_text", &check_call_text, nb::arg("text"),
        "Return the number of leaves, without looking up classes.");
}

}  // namespace opwright::python
