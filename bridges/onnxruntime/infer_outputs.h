// Infers dtypes and sizes of a node's outputs with the fake kernel when a model is loaded.
#pragma once

#include "bridges/onnxruntime/ort_api.h"

namespace opwright::ort_bridge {

// Sizes keep their names ("n", "2*n"); data-dependent ones get unique names. If the fake kernel
// cannot infer them, nothing is set and ONNX Runtime uses the dtype of the last input. Always
// returns null, since ONNX Runtime drops the status: errors of a node are reported when its kernel
// is created or runs.
OrtStatus* infer_outputs(const OrtCustomOp* op, OrtShapeInferContext* context);

}  // namespace opwright::ort_bridge
