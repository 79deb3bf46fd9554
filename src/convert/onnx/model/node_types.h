// The types of what nodes of ONNX itself give, as far as they follow from their inputs: rules that
// make several nodes of one call need not tell those in between.
#pragma once

#include "opwright/convert/onnx/model/builder_state.h"

namespace opwright::onnx {

// Sets dtype and sizes of the node's outputs where both are known; leaves the others as they are.
void infer_types(GraphBuilder::State& state, const PendingNode& node);

}  // namespace opwright::onnx
