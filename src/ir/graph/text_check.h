// A check for test suites: every graph that ends is compared with its text read back.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/visibility.h"

namespace opwright {

// Off until it is switched on; any thread. Graphs that verify() refuses, that hold objects which no
// text can bring back, or have more than 100,000 nodes are left out.
OPWRIGHT_EXPORT void set_checks_graph_texts(bool enabled) noexcept;
// The texts of graphs that did not read back as equal ones, with what happened; forgets them.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<std::string> take_graph_text_failures();
// How many graphs were compared so far.
[[nodiscard]] OPWRIGHT_EXPORT size_t num_checked_graph_texts() noexcept;

// Called by the end of a graph.
void check_graph_text(const Graph& graph) noexcept;

}  // namespace opwright
