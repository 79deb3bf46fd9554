// lstm_cell, gru_cell, rnn_tanh_cell and rnn_relu_cell: one step of a sequence.
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/recurrent/recurrent_step.h"

namespace opwright {

std::tuple<Tensor, Tensor> lstm_cell_composite(const Tensor& input, std::span<const Tensor> hx,
                                               const Tensor& w_ih, const Tensor& w_hh,
                                               const std::optional<Tensor>& b_ih,
                                               const std::optional<Tensor>& b_hh) {
  OPWRIGHT_CHECK(hx.size() == 2, "lstm_cell: hx must have 2 tensors, got ", hx.size());
  RecurrentState last = lstm_step(linear(input, w_ih, b_ih), {hx[0], hx[1]}, {w_hh, b_hh});
  return {std::move(last[0]), std::move(last[1])};
}

Tensor gru_cell_composite(const Tensor& input, const Tensor& hx, const Tensor& w_ih,
                          const Tensor& w_hh, const std::optional<Tensor>& b_ih,
                          const std::optional<Tensor>& b_hh) {
  return gru_step(linear(input, w_ih, b_ih), {hx}, {w_hh, b_hh})[0];
}

Tensor rnn_tanh_cell_composite(const Tensor& input, const Tensor& hx, const Tensor& w_ih,
                               const Tensor& w_hh, const std::optional<Tensor>& b_ih,
                               const std::optional<Tensor>& b_hh) {
  return tanh_step(linear(input, w_ih, b_ih), {hx}, {w_hh, b_hh})[0];
}

Tensor rnn_relu_cell_composite(const Tensor& input, const Tensor& hx, const Tensor& w_ih,
                               const Tensor& w_hh, const std::optional<Tensor>& b_ih,
                               const std::optional<Tensor>& b_hh) {
  return relu_step(linear(input, w_ih, b_ih), {hx}, {w_hh, b_hh})[0];
}

}  // namespace opwright
