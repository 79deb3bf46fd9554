// The engine: gradients flow from roots along the tape, youngest node first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "opwright/autograd/tape.h"
#include "opwright/tensor.h"

namespace opwright {

struct EngineOptions {
  bool keeps_graph = false;  // saved values stay, so that it can run again
};

// A gradient that comes in.
struct RootGradient {
  Edge edge;
  Tensor gradient;
};

// Runs at the current level, under the current grad mode: with it on, what it does is recorded.
// Leaves get their gradients summed up.
void run_backward(std::span<const RootGradient> roots, EngineOptions options = {});
// The gradients at `targets` instead; undefined: nothing came there. Only what leads to a target is
// run, and leaves are left alone.
[[nodiscard]] std::vector<Tensor> run_backward_to(std::span<const RootGradient> roots,
                                                  std::span<const Edge> targets,
                                                  EngineOptions options = {});

}  // namespace opwright
