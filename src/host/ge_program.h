// Programs as the engine GE can hold them: taken apart as far as it has rules, and without writes.
#pragma once

#include <cstddef>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/visibility.h"

namespace opwright::graph_engine {

struct EngineProgram {
  GraphPtr graph;
  // The graph has an output more for each input that the program writes, behind the others: the
  // places of these inputs.
  std::vector<size_t> written = {};
  [[nodiscard]] size_t num_results() const { return graph->outputs().size() - written.size(); }
};

// From a functional graph, which writes at its end alone and stays as it is. NotImplementedError
// for one that draws random numbers.
[[nodiscard]] OPWRIGHT_EXPORT EngineProgram make_engine_program(const GraphPtr& graph);

}  // namespace opwright::graph_engine
