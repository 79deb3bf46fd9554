// The structure of a pytree as text that parses back: how a program stores its call.
//
//   (*, [*, None], {"weight": *}, dataclass "model:Pair"(left=*, right=*))
//
// A class is named by its module and its path there. Parsing imports and runs nothing: a class is
// looked up in the modules that are already imported.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/pytree/tree_spec.h"

namespace opwright::python {

// The structure of the arguments of a call, a tuple and a dict, with the names of the parameters
// that may be passed by position or by name: first those of the tuple (empty if positional-only),
// then those of the first entries of the dict.
//   ((x=*, *), {scale=*, "key": *})
struct CallTree {
  TreeSpec spec;
  std::vector<std::string> names;
};

[[nodiscard]] std::string tree_text(const TreeSpec& spec);
[[nodiscard]] std::string call_text(const CallTree& call);

// ValueError with the position for an invalid text; ImportError for a class that does not exist,
// with the module to import or the class to register; TypeError for what a text cannot represent.
[[nodiscard]] TreeSpec read_tree_text(std::string_view text);
[[nodiscard]] CallTree read_call_text(std::string_view text);

// Checks only the form: no class is looked up. Returns the number of leaves.
[[nodiscard]] size_t check_tree_text(std::string_view text);
[[nodiscard]] size_t check_call_text(std::string_view text);

void bind_tree_text(nanobind::module_& m);

}  // namespace opwright::python
