// The structure of a tree as a text that can be read back: how a program keeps its call.
//
//   (*, [*, None], {"weight": *}, dataclass "model:Pair"(left=*, right=*))
//
// A class is named by its module and its path there. Reading imports and runs nothing: a class is
// looked up among the modules that are there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/pytree/tree_spec.h"

namespace opwright::python {

// The structure of the arguments of a call, a tuple and a dict, with the names of the parameters
// that may be given by position as well as by name: first those of the tuple (empty: by position
// only), then those of the first entries of the dict.
//   ((x=*, *), {scale=*, "key": *})
struct CallTree {
  TreeSpec spec;
  std::vector<std::string> names;
};

[[nodiscard]] std::string tree_text(const TreeSpec& spec);
[[nodiscard]] std::string call_text(const CallTree& call);

// ValueError with the place for a text that is none; ImportError for a class that is not there,
// with the module to import or the class to register; TypeError for what a text cannot hold.
[[nodiscard]] TreeSpec read_tree_text(std::string_view text);
[[nodiscard]] CallTree read_call_text(std::string_view text);

// Only the form: no class is looked up. How many leaves there are.
[[nodiscard]] size_t check_tree_text(std::string_view text);
[[nodiscard]] size_t check_call_text(std::string_view text);

void bind_tree_text(nanobind::module_& m);

}  // namespace opwright::python
