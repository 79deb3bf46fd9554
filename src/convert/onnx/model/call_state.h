// The state of a Call: a node of the program's graph, and the values of the model so far.
#pragma once

#include <vector>

#include "opwright/convert/call_arguments.h"  // IWYU pragma: export
#include "opwright/ir/graph/graph.h"
#include "opwright/runtime/onnx.h"
#include "opwright/visibility.h"

namespace opwright::onnx {

class GraphConversion;

struct Call::State {
  GraphBuilder& g;
  const Node& node;
  const OnnxValues& values;               // by number of the graph's value
  GraphConversion* conversion = nullptr;  // null: only one rule is tried
};

// The value of an argument: of the graph, or a constant for an int. None for None.
[[nodiscard]] OPWRIGHT_EXPORT OnnxValue value_of(const Call::State& call,
                                                 const NodeArgument& argument);

}  // namespace opwright::onnx
