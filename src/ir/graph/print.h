// Prints a graph inside another text; to_text (graph.h) prints the outermost graph.
#pragma once

#include <cstddef>
#include <string>

#include "opwright/ir/graph/graph.h"

namespace opwright {

// Lines after the first are indented by `indent` more blanks. A sub-graph does not print its
// symbols again if it shares the environment of the enclosing graph.
void append_graph_text(std::string& out, const Graph& graph, size_t indent);

}  // namespace opwright
