// The text of a whole graph inside of another text; to_text (graph.h) is the outermost one.
#pragma once

#include <cstddef>
#include <string>

#include "opwright/ir/graph/graph.h"

namespace opwright {

// Lines after the first begin with `indent` blanks more. The symbols are those of the graph around
// it where both have one environment, so a sub-graph does not print them again.
void append_graph_text(std::string& out, const Graph& graph, size_t indent);

}  // namespace opwright
