// The engine: propagates gradients from roots along the tape, newest node first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "opwright/autograd/tape.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// Observes how gradients flow, for traces that keep the structure of the tape (gradient_flow.h).
class GradientRecorder {
 public:
  virtual ~GradientRecorder() = default;
  // Adds two gradients of one value.
  [[nodiscard]] virtual Tensor sum(const Tensor& a, const Tensor& b) = 0;
  // Called after a node computed `given` for `gradients`, either of which may hold undefined
  // tensors; may replace what is given.
  virtual void mark(std::span<Tensor> given, std::span<const Tensor> gradients) = 0;
};

struct EngineOptions {
  bool keeps_graph = false;              // keeps saved values, so that it can run again
  bool fills_targets = false;            // also runs the nodes of the targets: leaves accumulate
  GradientRecorder* recorder = nullptr;  // null: none
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
// a target, and does not touch leaves unless `fills_targets`.
[[nodiscard]] std::vector<Tensor> run_backward_to(std::span<const RootGradient> roots,
                                                  std::span<const Edge> targets,
                                                  EngineOptions options = {});

// Identifies the backward pass that runs on this thread, the innermost one; 0: none runs.
[[nodiscard]] OPWRIGHT_EXPORT uint64_t backward_in_progress() noexcept;
// Whether the backward pass that runs on this thread runs this node, now or later. For a target of
// run_backward_to: whether a gradient may arrive there.
[[nodiscard]] OPWRIGHT_EXPORT bool will_run(const TapeNode& node);
// Whether it computes gradients at targets only (run_backward_to).
[[nodiscard]] OPWRIGHT_EXPORT bool backward_has_targets() noexcept;

// Whether anomaly mode also reports NaN gradients on this thread; true unless switched off.
[[nodiscard]] OPWRIGHT_EXPORT bool anomaly_mode_checks_nan() noexcept;
OPWRIGHT_EXPORT bool set_anomaly_mode_checks_nan(bool on) noexcept;  // returns the previous one

}  // namespace opwright
