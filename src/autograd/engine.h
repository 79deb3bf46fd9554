// The engine: propagates gradients from roots along the tape, newest node first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "opwright/autograd/tape.h"
#include "opwright/tensor.h"

namespace opwright {

struct EngineOptions {
  bool keeps_graph = false;  // keeps saved values, so that it can run again
};

// An incoming gradient.
struct RootGradient {
  Edge edge;
  Tensor gradient;
};

// Runs at the current level, under the current grad mode: if it is on, the run is recorded.
// Accumulates gradients into leaves.
void run_backward(std::span<const RootGradient> roots, EngineOptions options = {});
// Returns the gradients at `targets` instead; undefined: none arrived. Runs only nodes that lead to
// a target, and does not touch leaves.
[[nodiscard]] std::vector<Tensor> run_backward_to(std::span<const RootGradient> roots,
                                                  std::span<const Edge> targets,
                                                  EngineOptions options = {});

}  // namespace opwright
