// One step of a recurrent layer, composed of calls to other operators.
//
// A step receives the input's contribution to the gates, which is computed for all steps at once.
#pragma once

#include <optional>
#include <vector>

#include "opwright/tensor.h"

namespace opwright {

struct StepWeights {
  Tensor hidden;
  std::optional<Tensor> bias = std::nullopt;
  std::optional<Tensor> projection = std::nullopt;  // of an LSTM
};

using RecurrentState = std::vector<Tensor>;  // {h}, or {h, c} of an LSTM
using RecurrentStep = RecurrentState (*)(const Tensor& gates, const RecurrentState& state,
                                         const StepWeights& weights);

[[nodiscard]] RecurrentState tanh_step(const Tensor& gates, const RecurrentState& state,
                                       const StepWeights& weights);
[[nodiscard]] RecurrentState relu_step(const Tensor& gates, const RecurrentState& state,
                                       const StepWeights& weights);
// Gate order: reset, update, new.
[[nodiscard]] RecurrentState gru_step(const Tensor& gates, const RecurrentState& state,
                                      const StepWeights& weights);
// Gate order: input, forget, cell, output.
[[nodiscard]] RecurrentState lstm_step(const Tensor& gates, const RecurrentState& state,
                                       const StepWeights& weights);

}  // namespace opwright
