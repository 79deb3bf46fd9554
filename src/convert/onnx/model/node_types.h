// Infers the output types of ONNX's own nodes from their inputs, so that rules with several nodes
// need not set the types of intermediate values.
#pragma once

#include "opwright/convert/onnx/model/builder_state.h"

namespace opwright::onnx {

// Sets dtype and sizes of the node's outputs if both are known; leaves the others unchanged.
void infer_types(GraphBuilder::State& state, const PendingNode& node);

}  // namespace opwright::onnx
