// The structure of a pytree of Python containers, without its leaves.
//
// A spec is a list of nodes in pre-order: a node, then each child with its descendants. Specs are
// immutable and shared between handles. They hold Python objects, so the GIL is held wherever one
// is created, compared or dropped.
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
  uint32_t num_nodes = 1;     // including descendants
  nanobind::object type;      // the class; for a defaultdict its factory
  nanobind::object children;  // a tuple of keys or field names; for a registered class the
                              // context that its `flatten` returned
};

class TreeSpec {
 public:
  explicit TreeSpec(std::vector<TreeNode> nodes);

  [[nodiscard]] const std::vector<TreeNode>& nodes() const noexcept { return body_->nodes; }
  [[nodiscard]] size_t num_leaves() const noexcept { return body_->num_leaves; }

  // The structures of the outermost container's children, in order.
  [[nodiscard]] std::vector<TreeSpec> children() const;

  // `root["weight"].bias`: the path of leaf `index` in a tree named `root`. IndexError if there are
  // fewer.
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
  // The position of the first node that differs.
  [[nodiscard]] std::optional<size_t> first_difference(const TreeSpec& other) const;
  [[nodiscard]] std::string path_of(size_t position, std::string_view root) const;

  IntrusivePtr<const Body> body_;
};

}  // namespace opwright::python
