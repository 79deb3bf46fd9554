// Keeps in a traced backward which gradients each of its values was computed for.
//
// Eager skips a node of the tape when none of its gradients is defined, whatever its formula would
// compute from zeros. A graph of a backward holds calls, not nodes of the tape, so two operators
// keep what the engine knew:
//
//   opwright::computed_for(Tensor value, Tensor[] gradients) -> Tensor
//     `value`, which a node computed for `gradients`; undefined if all of them are.
//   opwright::sum_gradients(Tensor a, Tensor b) -> Tensor
//     The sum of two gradients that meet; the other one if one is undefined.
#pragma once

#include <span>

#include "opwright/autograd/engine.h"
#include "opwright/dispatch/operator.h"
#include "opwright/tensor.h"

namespace opwright {

// Calls the two operators at the current level while the engine runs.
class GradientFlow final : public GradientRecorder {
 public:
  [[nodiscard]] Tensor sum(const Tensor& a, const Tensor& b) override;
  void mark(std::span<Tensor> given, std::span<const Tensor> gradients) override;
};

[[nodiscard]] const Operator& computed_for_operator();
[[nodiscard]] const Operator& sum_gradients_operator();

}  // namespace opwright
