// Converts an exported program to an ONNX model.
#pragma once

#include <string>

#include "opwright/program/export/exported_program.h"
#include "opwright/runtime/onnx.h"
#include "opwright/visibility.h"

namespace opwright {

// The name of an input, from its path in the call: batch["mask"] becomes batch.mask.
[[nodiscard]] OPWRIGHT_EXPORT std::string onnx_input_name(const std::string& target);

// Like onnx::to_model. Operators without a rule that are made of others are decomposed first.
[[nodiscard]] OPWRIGHT_EXPORT onnx::Model to_onnx_model(const ExportedProgram& program,
                                                        const onnx::ModelOptions& options);

}  // namespace opwright
