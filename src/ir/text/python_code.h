// A graph as a Python program, and as a picture.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// "def forward(self, x, w): ...": runs where `opwright` is imported, on flat inputs. `self` has the
// attributes of python_attributes. Guards are not checked.
[[nodiscard]] OPWRIGHT_EXPORT std::string python_code(const Graph& graph);

// The same with types and lines, inside of a class of that name; for people.
[[nodiscard]] OPWRIGHT_EXPORT std::string readable_code(const Graph& graph,
                                                        const std::string& name = "Graph");

// What python_code reads from `self`: captured tensors and constants by their names, sub-graphs as
// sub_graph_0, ..., other objects as object_0, ... A tensor that is not bound is None.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<std::pair<std::string, Value>> python_attributes(
    const Graph& graph);

// The graph in the language of graphviz's dot.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_dot(const Graph& graph);

}  // namespace opwright
