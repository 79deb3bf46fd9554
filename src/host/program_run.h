// One run of a program for C: memory of the caller in, tensors with memory of their own out.
#pragma once

#include <span>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/program_api.h"
#include "opwright/tensor.h"

namespace opwright {

// Checks the inputs, runs under no transform and records nothing. A tensor for each output,
// undefined for one that is neither a tensor nor a number. Errors name the input. RuntimeError for
// an operator that keeps an input.
[[nodiscard]] std::vector<Tensor> run_program(const OpwProgram& program,
                                              std::span<const OpwDlTensor> inputs);

}  // namespace opwright
