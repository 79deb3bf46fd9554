// Converts a Graph to an ONNX model: each call by its operator's rule, in order.
#pragma once

#include <string>
#include <vector>

#include "opwright/convert/onnx/model/model.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/runtime/onnx.h"
#include "opwright/tensor.h"

namespace opwright::onnx {

struct ModelInput {
  const GraphValue* value;
  std::string name;
  Tensor stored = {};     // an initializer; undefined: passed by the caller
  bool is_given = false;  // an initializer that the caller may replace
};
struct ModelOutput {
  NodeArgument value;
  std::string name;
};
struct ModelRequest {
  const Graph& graph;
  std::vector<ModelInput> inputs;  // all inputs of the graph
  std::vector<ModelOutput> outputs;
  ModelOptions options = {};
  std::string name = "opwright";
};

// NotImplementedError for an operator without a rule: names it, the user's line, and which opset
// has one. ValueError for an unsupported opset, and if a rule returns another number of values than
// the operator has results.
[[nodiscard]] Model::State convert_graph(const ModelRequest& request);

}  // namespace opwright::onnx
