// The structure of a tree of Python containers, without its leaves.
//
// A spec is a list of nodes in the order of a walk: a node, then its children, each with all below
// it. Specs are immutable, and handles share them. They hold Python objects, so Python's lock is
// held wherever one is made, compared or dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "opwright/base/intrusive_ptr.h"

namespace opwright::python {

inline constexpr int kMostTreeLevels = 1000;

enum class TreeKind : uint8_t {
  Leaf,
  None,
  Tuple,
  List,
  Dict,
  OrderedDict,
  DefaultDict,
  NamedTuple,
  Dataclass,
  Registered,
};

struct TreeNode {
  TreeKind kind = TreeKind::Leaf;
  uint32_t num_children = 0;
  uint32_t num_nodes = 1;     // with all below
  nanobind::object type;      // the class; of a defaultdict what makes its values
  nanobind::object children;  // a tuple of keys or of names of fields; of a registered class what
                              // its `flatten` gave beside the children
};

class TreeSpec {
 public:
  explicit TreeSpec(std::vector<TreeNode> nodes);

  [[nodiscard]] const std::vector<TreeNode>& nodes() const noexcept { return body_->nodes; }
  [[nodiscard]] size_t num_leaves() const noexcept { return body_->num_leaves; }

  // The structures of what the outermost container holds, in order.
  [[nodiscard]] std::vector<TreeSpec> children() const;

  // `root["weight"].bias`: where leaf `index` is in a tree that is called `root`. IndexError when
  // there are fewer.
  [[nodiscard]] std::string leaf_path(size_t index, std::string_view root = "") const;
  // ({"weight": *, "bias": *}, [*], None)
  [[nodiscard]] std::string text() const;
  [[nodiscard]] uint64_t hash() const;
  bool operator==(const TreeSpec& other) const { return !first_difference(other); }

  // Where and how `given` has another structure: `args[1] is a list of 3, expected a list of 2`.
  [[nodiscard]] std::optional<std::string> find_difference(const TreeSpec& given,
                                                           std::string_view root = "tree") const;

 private:
  struct Body : Counted<Body> {
    std::vector<TreeNode> nodes;
    size_t num_leaves = 0;
  };
  // The place of the first node that differs.
  [[nodiscard]] std::optional<size_t> first_difference(const TreeSpec& other) const;
  [[nodiscard]] std::string path_of(size_t position, std::string_view root) const;

  IntrusivePtr<const Body> body_;
};

}  // namespace opwright::python
