// Runs the layers and directions of a recurrent network over a step, and checks their arguments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "opwright/ops/recurrent/recurrent_step.h"
#include "opwright/tensor.h"

namespace opwright {

// The arguments that lstm, gru and rnn share. Each tensor of `hx` has sizes (layers * directions,
// N, size); `params` has the weights of each layer and direction: input, hidden, both biases if
// any, and the projection of an LSTM that has one.
struct RecurrentCall {
  const char* who;  // "lstm"
  int64_t num_gates;
  const Tensor& input;
  std::span<const Tensor> hx;
  std::span<const Tensor> params;
  bool has_biases;
  int64_t num_layers;
  double dropout;
  bool train;
  bool bidirectional;
  bool batch_first;

  [[nodiscard]] int64_t num_directions() const { return bidirectional ? 2 : 1; }
  [[nodiscard]] int64_t num_cells() const { return num_layers * num_directions(); }
  // Whether an LSTM's hidden state is a projection of the cell-sized state.
  [[nodiscard]] bool has_projections() const;
  [[nodiscard]] int64_t weights_per_cell() const {
    return 2 + (has_biases ? 2 : 0) + (has_projections() ? 1 : 0);
  }
};

// RuntimeError for inconsistent arguments; sizes may be symbolic. The LSTM has two tensors in `hx`,
// the others one.
void check_recurrent_call(const RecurrentCall& call, size_t num_states);

// Returns {output, last h, and last c of an LSTM}. The number of steps must be known.
[[nodiscard]] std::vector<Tensor> run_recurrent_layers(const RecurrentCall& call,
                                                       RecurrentStep step);

}  // namespace opwright
