// A graph as text in, a graph of the engine GE as text out.
#pragma once

#include <string>

#include "opwright/convert/ge/graph_conversion.h"
#include "opwright/convert/ge/model.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"

namespace opwright::graph_engine::testing {

// The error, with its notes, if there is no graph.
inline std::string convert_text(const std::string& text) {
  try {
    return to_text(*convert_graph(parse_graph(text), {.name = "g"}));
  } catch (const Error& error) {
    return concatenate(error.kind(), ": ", error.message(), "\n");
  }
}

}  // namespace opwright::graph_engine::testing
