// An exported program as an ONNX model.
#pragma once

#include "opwright/onnx.h"
#include "opwright/program/exported_program.h"

namespace opwright {

// As onnx::to_model. Operators without a rule that are made of others are taken apart first.
[[nodiscard]] onnx::Model to_onnx_model(const ExportedProgram& program,
                                        const onnx::ModelOptions& options);

}  // namespace opwright
