// A Graph becomes an ONNX model: each call by its operator's rule, in order.
#pragma once

#include <string>
#include <vector>

#include "opwright/convert/onnx/model/model.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/onnx.h"
#include "opwright/tensor.h"

namespace opwright::onnx {

struct ModelInput {
  const GraphValue* value;
  std::string name;
  Tensor stored = {};     // an initialiser; undefined: given by the caller
  bool is_given = false;  // an initialiser that the caller may replace
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

// NotImplementedError for an operator without a rule: which, the user's line, which opset has one.
// ValueError for an opset that is not written, and where a rule gives another number of values than
// the operator has results.
[[nodiscard]] Model::State convert_graph(const ModelRequest& request);

}  // namespace opwright::onnx
