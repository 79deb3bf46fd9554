// Parses the text of a structure.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/text_cursor.h"
#include "bindings/object/method.h"
#include "bindings/pytree/class_lookup.h"
#include "bindings/pytree/data_text.h"
#include "bindings/pytree/tree_spec.h"
#include "bindings/pytree/tree_text.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

class TreeReader {
 public:
  TreeReader(std::string_view text, std::string_view what, DataUse use, bool is_call)
      : cursor_(text, what), use_(use), is_call_(is_call) {}

  CallTree read() {
    read_node(0);
    if (!cursor_.is_at_end()) cursor_.fail("expected the end");
    if (is_call_) check_call();
    return {TreeSpec(std::move(nodes_)), std::move(names_)};
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): up to kMostTreeLevels
  void read_node(int level) {
    if (level > kMostTreeLevels) cursor_.fail("more than ", kMostTreeLevels, " containers deep");
    const size_t place = nodes_.size();
    nodes_.emplace_back();
    if (cursor_.skip("*")) return;
    if (cursor_.skip("None")) {
      nodes_[place].kind = TreeKind::None;
      return;
    }
    read_container(place, level);
    nodes_[place].num_nodes = static_cast<uint32_t>(nodes_.size() - place);
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void read_container(size_t place, int level) {
    if (cursor_.skip("(")) return read_items(place, TreeKind::Tuple, ")", level);
    if (cursor_.skip("[")) return read_items(place, TreeKind::List, "]", level);
    if (cursor_.skip("{")) return read_dict(place, TreeKind::Dict, level);
    if (cursor_.skip("OrderedDict({")) {
      read_dict(place, TreeKind::OrderedDict, level);
      return cursor_.expect(")");
    }
    if (cursor_.skip("defaultdict(")) {
      nb::object factory = read_factory();
      cursor_.expect(", {");
      read_dict(place, TreeKind::DefaultDict, level);
      nodes_[place].type = std::move(factory);
      return cursor_.expect(")");
    }
    if (cursor_.skip("namedtuple ")) return read_fields(place, TreeKind::NamedTuple, level);
    if (cursor_.skip("dataclass ")) return read_fields(place, TreeKind::Dataclass, level);
    if (cursor_.skip("registered ")) return read_registered(place, level);
    cursor_.fail("expected a structure");
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void read_items(size_t place, TreeKind kind, std::string_view closing, int level) {
    nodes_[place].kind = kind;
    while (!cursor_.skip(closing)) {
      if (is_call_ && level == 1) names_.push_back(read_parameter());
      read_child(place, level);
      if (cursor_.skip(closing)) break;
      cursor_.expect(",");
      cursor_.skip(" ");
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void read_child(size_t place, int level) {
    read_node(level + 1);
    ++nodes_[place].num_children;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void read_dict(size_t place, TreeKind kind, int level) {
    nodes_[place].kind = kind;
    nb::list keys;
    bool may_name = is_call_ && level == 1;
    while (!cursor_.skip("}")) {
      std::string parameter = may_name ? read_parameter() : "";
      may_name = !parameter.empty();
      if (parameter.empty()) {
        keys.append(read_key(is_call_ && level == 1));
        cursor_.expect(": ");
      } else {
        keys.append(nb::cast(parameter));
        names_.push_back(std::move(parameter));
      }
      read_child(place, level);
      if (!cursor_.skip(", ") && cursor_.peek() != '}') cursor_.expect("}");
    }
    nodes_[place].children = own(PyList_AsTuple(keys.ptr()));
  }

  nb::object read_key(bool names_arguments) {
    nb::object key = read_data(cursor_, use_);
    if (names_arguments && !PyUnicode_Check(key.ptr())) {
      cursor_.fail("expected the name of an argument");
    }
    if (PyObject_Hash(key.ptr()) == -1) {
      PyErr_Clear();
      cursor_.fail("a key that has no hash");
    }
    return key;
  }

  // x= or, of other alphabets, "x"=; or nothing.
  std::string read_parameter() {
    TextCursor ahead = cursor_;
    std::string name;
    if (ahead.peek() == '"') {
      name = read_quoted(ahead);
    } else {
      name = ahead.take_while([](char character) {
        return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
               (character >= '0' && character <= '9') || character == '_';
      });
    }
    if (!ahead.skip("=")) return "";
    if (!is_identifier(name)) cursor_.fail("expected the name of a parameter");
    cursor_ = ahead;
    return name;
  }

  // Names are used in generated code.
  static bool is_identifier(const std::string& name) {
    PyObject* text =
        PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "strict");
    if (!text) {
      PyErr_Clear();
      return false;
    }
    return PyUnicode_IsIdentifier(nb::steal(text).ptr()) == 1;
  }

  std::string read_name() {
    if (cursor_.peek() == '"') return read_quoted(cursor_);
    std::string name(cursor_.take_while([](char character) { return character != '='; }));
    if (name.empty()) cursor_.fail("expected a name");
    return name;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void read_fields(size_t place, TreeKind kind, int level) {
    const std::string type = read_quoted(cursor_);
    nodes_[place].kind = kind;
    nb::list names;
    cursor_.expect("(");
    while (!cursor_.skip(")")) {
      names.append(nb::cast(read_name()));
      cursor_.expect("=");
      read_child(place, level);
      if (!cursor_.skip(", ") && cursor_.peek() != ')') cursor_.expect(")");
    }
    nodes_[place].children = own(PyList_AsTuple(names.ptr()));
    look_up(place, type);
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void read_registered(size_t place, int level) {
    const std::string type = read_quoted(cursor_);
    nb::object beside = nb::none();
    if (cursor_.skip("[")) {
      beside = read_data(cursor_, use_);
      cursor_.expect("]");
    }
    cursor_.expect("(");
    read_items(place, TreeKind::Registered, ")", level);
    nodes_[place].children = std::move(beside);
    look_up(place, type);
  }

  void look_up(size_t place, const std::string& type) {
    TreeNode& node = nodes_[place];
    node.type = use_ == DataUse::Check ? nb::none() : find_class(type, node.kind, node.children);
  }

  // The factory of a defaultdict: a builtin class, which only a look-up calls.
  nb::object read_factory() {
    if (cursor_.peek() != '"') return read_data(cursor_, use_);
    const std::string place = read_quoted(cursor_);
    for (PyTypeObject* type : {&PyLong_Type, &PyFloat_Type, &PyBool_Type, &PyUnicode_Type,
                               &PyList_Type, &PyDict_Type, &PySet_Type, &PyTuple_Type}) {
      const nb::handle object(reinterpret_cast<PyObject*>(type));
      if (class_place(object) == place) return nb::borrow(object);
    }
    OPWRIGHT_CHECK_TYPE(use_ == DataUse::Check,
                        "the structure of the program's call has a defaultdict of ", place,
                        ", which a file cannot hold; use one of int, float, bool, str, list, dict, "
                        "set and tuple and export again");
    return nb::none();
  }

  void check_call() const {
    const bool is_call = nodes_[0].kind == TreeKind::Tuple && nodes_[0].num_children == 2 &&
                         nodes_[1].kind == TreeKind::Tuple &&
                         nodes_[1 + nodes_[1].num_nodes].kind == TreeKind::Dict;
    if (!is_call) cursor_.fail("expected a tuple of a tuple and a dict");
  }

  TextCursor cursor_;
  DataUse use_;
  bool is_call_;
  std::vector<TreeNode> nodes_;
  std::vector<std::string> names_;
};

constexpr std::string_view kArguments = "the structure of the arguments";
constexpr std::string_view kResults = "the structure of the results";

}  // namespace

TreeSpec read_tree_text(std::string_view text) {
  return TreeReader(text, kResults, DataUse::Use, false).read().spec;
}

CallTree read_call_text(std::string_view text) {
  return TreeReader(text, kArguments, DataUse::Use, true).read();
}

size_t check_tree_text(std::string_view text) {
  return TreeReader(text, kResults, DataUse::Check, false).read().spec.num_leaves();
}

size_t check_call_text(std::string_view text) {
  return TreeReader(text, kArguments, DataUse::Check, true).read().spec.num_leaves();
}

}  // namespace opwright::python
