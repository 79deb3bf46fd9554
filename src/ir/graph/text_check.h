// A check for test suites: when a graph is destroyed, its text is parsed and compared with it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/visibility.h"

namespace opwright {

// Off by default; any thread. Graphs are skipped if verify() rejects them, if they contain objects
// that cannot be restored from text, or if they have more than 100,000 nodes.
OPWRIGHT_EXPORT void set_checks_graph_texts(bool enabled) noexcept;
// Returns and clears the texts of graphs that did not parse to an equal graph, with the problem.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<std::string> take_graph_text_failures();
// How many graphs were compared so far.
[[nodiscard]] OPWRIGHT_EXPORT size_t num_checked_graph_texts() noexcept;

// Called by Graph's destructor.
void check_graph_text(const Graph& graph) noexcept;

}  // namespace opwright
