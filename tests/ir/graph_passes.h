// Runs a pass from text to text.
#pragma once

#include <string>

#include "ir/graph_operators.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/passes/common_subexpressions.h"
#include "opwright/ir/passes/dead_code.h"
#include "opwright/ir/passes/fold_constants.h"

namespace opwright::testing {

// Selects the pass by the name of its header; "print" does nothing.
inline std::string run_pass(const std::string& name, const std::string& text) {
  try {
    const GraphPtr graph = parse_graph(text);
    if (name == "dead_code") remove_dead_code(*graph);
    if (name == "common_subexpressions") share_common_subexpressions(*graph);
    if (name == "fold_constants") fold_constants(*graph, 100);
    verify(*graph);
    return to_text(*graph);
  } catch (const Error& error) {
    return concatenate(error.kind(), ": ", error.message(), "\n");
  }
}

}  // namespace opwright::testing
