// Nodes that a test adds directly, as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/dtype.h"
#include "opwright/runtime/onnx.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright::onnx::testing {

struct SketchedGraph {
  explicit SketchedGraph(int64_t opset = kDefaultOpset) {
    state.opset = opset;
    state.scope = &body;
  }

  OnnxValue input(const char* name, std::vector<SymInt> sizes, DType dtype = DType::Float32) {
    const OnnxValue value = state.add({.dtype = dtype, .sizes = sizes});
    state.name(value, name);
    state.bind_symbols(value, sizes);
    return value;
  }
  // One line per constant, then per node.
  [[nodiscard]] std::string text() {
    Model::State model;
    for (const OnnxValue constant : body.initializers)
      model.graph.initializers.push_back({g.name(constant), g.data(constant)});
    model.graph.nodes = state.finish_nodes(body);
    const std::string whole = to_text(model);
    return whole.substr(whole.find('\n') + 1, whole.rfind('}') - whole.find('\n') - 1);
  }

  GraphBuilder::State state;
  BodyScope body;
  GraphBuilder g{state};
};

}  // namespace opwright::onnx::testing
