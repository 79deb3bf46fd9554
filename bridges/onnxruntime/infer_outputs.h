// Dtypes and sizes of a node's outputs, asked of the fake kernel when a model is loaded.
#pragma once

#include "bridges/onnxruntime/ort_api.h"

namespace opwright::ort_bridge {

// Sizes keep their names ("n", "2*n"); those that only the data tell get a name that is nobody
// else's. Where the fake kernel does not tell, nothing is said and ONNX Runtime takes the dtype of
// the last input. Gives null always, since ONNX Runtime drops the status: what is wrong with a node
// is told when its kernel is made or runs.
OrtStatus* infer_outputs(const OrtCustomOp* op, OrtShapeInferContext* context);

}  // namespace opwright::ort_bridge
