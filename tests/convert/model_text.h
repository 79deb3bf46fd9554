// A graph as text in, an ONNX model as text out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "opwright/convert/onnx/exporter.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/runtime/onnx.h"

namespace opwright::onnx::testing {

// Inputs are named as in the graph; returns the error if there is no model.
inline std::string convert_text(int64_t opset, const std::string& text,
                                const ModelOptions& options = {}) {
  try {
    const GraphPtr graph = parse_graph(text);
    ModelRequest request{.graph = *graph, .inputs = {}, .outputs = {}, .options = options};
    request.options.opset = opset;
    for (const GraphValue* input : graph->inputs())
      request.inputs.push_back({.value = input, .name = std::string(input->name())});
    for (const NodeArgument& output : graph->outputs())
      request.outputs.push_back(
          {.value = output, .name = concatenate("output_", request.outputs.size())});
    return to_text(convert_graph(request));
  } catch (const Error& error) {
    return concatenate(error.kind(), ": ", error.message(), "\n");
  }
}

}  // namespace opwright::onnx::testing
