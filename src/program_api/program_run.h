// One run of a program for C: inputs are the caller's memory, outputs are newly allocated tensors.
#pragma once

#include <span>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/runtime/program_api.h"
#include "opwright/tensor.h"

namespace opwright {

// Checks the inputs, runs outside all transforms and records nothing. Returns a tensor per output,
// undefined for one that is neither a tensor nor a number. Errors name the input. RuntimeError if
// an operator keeps a reference to an input.
[[nodiscard]] std::vector<Tensor> run_program(const OpwProgram& program,
                                              std::span<const OpwDlTensor> inputs);

}  // namespace opwright
