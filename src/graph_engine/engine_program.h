// Prepares programs for the engine GE: decomposed where it has no rules, and without writes.
#pragma once

#include <cstddef>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/visibility.h"

namespace opwright::graph_engine {

struct EngineProgram {
  GraphPtr graph;
  // The graph has an extra output at the end for each input that the program writes; these are the
  // indices of those inputs.
  std::vector<size_t> written = {};
  [[nodiscard]] size_t num_results() const { return graph->outputs().size() - written.size(); }
};

// From a functional graph, which writes only at its end and is not modified. NotImplementedError if
// it draws random numbers.
[[nodiscard]] OPWRIGHT_EXPORT EngineProgram make_engine_program(const GraphPtr& graph);

}  // namespace opwright::graph_engine
