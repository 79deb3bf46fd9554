// The user-facing functions: gradients of outputs, into leaves or with respect to inputs.
//
// An output or input is a tensor, or an edge of the tape in its place.
#pragma once

#include <span>
#include <vector>

#include "opwright/autograd/tape.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

struct BackwardOptions {
  bool keeps_graph = false;   // retain_graph
  bool create_graph = false;  // gradients can be differentiated again
  bool allow_unused = false;  // an unused input gets an undefined gradient
  bool materialize = false;   // zeros instead of undefined gradients
};

struct GradientPoint {
  Tensor tensor;  // undefined: `edge` is given
  Edge edge = {};
};

// Accumulates the gradients of all leaves that the outputs were computed from. `gradients` has one
// for each output, or is empty; undefined: 1, for an output of one element. With `inputs`, only for
// these.
OPWRIGHT_EXPORT void backward(std::span<const GradientPoint> outputs,
                              std::span<const Tensor> gradients,
                              std::span<const GradientPoint> inputs, BackwardOptions options = {});
OPWRIGHT_EXPORT void backward(std::span<const Tensor> outputs, std::span<const Tensor> gradients,
                              std::span<const Tensor> inputs, BackwardOptions options = {});
// Returns the gradients with respect to the inputs.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Tensor> grad(std::span<const Tensor> outputs,
                                                       std::span<const Tensor> inputs,
                                                       std::span<const Tensor> gradients,
                                                       BackwardOptions options = {});
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Tensor> grad(std::span<const GradientPoint> outputs,
                                                       std::span<const GradientPoint> inputs,
                                                       std::span<const Tensor> gradients,
                                                       BackwardOptions options = {});

}  // namespace opwright
