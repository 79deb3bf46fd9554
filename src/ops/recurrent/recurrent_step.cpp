#include "opwright/ops/recurrent/recurrent_step.h"

#include "opwright/functions.h"

namespace opwright {
namespace {

Tensor sum_of_gates(const Tensor& gates, const Tensor& h, const StepWeights& weights) {
  return add(gates, linear(h, weights.hidden, weights.bias));
}

}  // namespace

RecurrentState tanh_step(const Tensor& gates, const RecurrentState& state,
                         const StepWeights& weights) {
  return {sum_of_gates(gates, state[0], weights).tanh()};
}

RecurrentState relu_step(const Tensor& gates, const RecurrentState& state,
                         const StepWeights& weights) {
  return {sum_of_gates(gates, state[0], weights).relu()};
}

RecurrentState gru_step(const Tensor& gates, const RecurrentState& state,
                        const StepWeights& weights) {
  const Tensor& h = state[0];
  const std::vector<Tensor> in = gates.chunk(3, -1);
  const std::vector<Tensor> own = linear(h, weights.hidden, weights.bias).chunk(3, -1);
  const Tensor reset = add(in[0], own[0]).sigmoid();
  const Tensor update = add(in[1], own[1]).sigmoid();
  const Tensor fresh = add(in[2], mul(reset, own[2])).tanh();
  return {add(fresh, mul(update, sub(h, fresh)))};
}

RecurrentState lstm_step(const Tensor& gates, const RecurrentState& state,
                         const StepWeights& weights) {
  const std::vector<Tensor> sums = sum_of_gates(gates, state[0], weights).chunk(4, -1);
  const Tensor c = add(mul(sums[1].sigmoid(), state[1]), mul(sums[0].sigmoid(), sums[2].tanh()));
  const Tensor h = mul(sums[3].sigmoid(), c.tanh());
  return {weights.projection ? linear(h, *weights.projection) : h, c};
}

}  // namespace opwright
