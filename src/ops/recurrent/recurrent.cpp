// lstm, gru, rnn_tanh and rnn_relu: entire sequences through layers of one or two directions.
//
// Their bodies run step by step and need the number of steps; the fake kernels do not.
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/recurrent/recurrent_layers.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using TensorSpan = std::span<const Tensor>;
using FakeSpan = std::span<const FakeTensor>;
using TensorPair = std::tuple<Tensor, Tensor>;
using FakePair = std::tuple<FakeTensor, FakeTensor>;

TensorSpan as_tensors(FakeSpan fakes) {
  return {reinterpret_cast<const Tensor*>(fakes.data()), fakes.size()};
}

// `flags` are those of a RecurrentCall, in order.
template <class... Flags>
TensorPair run_of_one_state(const char* who, int64_t num_gates, RecurrentStep step,
                            const Tensor& input, const Tensor& hx, TensorSpan params,
                            Flags... flags) {
  const RecurrentCall call{who, num_gates, input, {&hx, 1}, params, flags...};
  check_recurrent_call(call, 1);
  std::vector<Tensor> results = run_recurrent_layers(call, step);
  return {std::move(results[0]), std::move(results[1])};
}

// The outputs of all directions side by side, in the memory order of the steps: one after the
// other.
FakeTensor fake_output(const RecurrentCall& call, const FakeTensor& input) {
  const SymInt batch = input.size(call.batch_first ? 0 : 1);
  const SymInt length = input.size(call.batch_first ? 1 : 0);
  const SymInt size = call.num_directions() * call.hx[0].sym_size(2);
  SymGeometry geometry{.sizes = {length, batch, size}, .strides = {}, .offset = 0};
  geometry.strides = contiguous_strides(geometry.sizes);
  if (call.batch_first) geometry = transpose_geometry(std::move(geometry), 0, 1, call.who);
  return make_fake_like(input, geometry.sizes, geometry.strides, input.dtype());
}

FakeTensor fake_state(const FakeTensor& input, const Tensor& given) {
  return make_fake_like(input, sym_geometry_of(given).sizes, input.dtype());
}

template <class... Flags>
FakePair fake_of_one_state(const char* who, int64_t num_gates, const FakeTensor& input,
                           const FakeTensor& hx, FakeSpan params, Flags... flags) {
  const RecurrentCall call{
      who, num_gates, as_tensor(input), {&as_tensor(hx), 1}, as_tensors(params), flags...};
  check_recurrent_call(call, 1);
  return {fake_output(call, input), fake_state(input, call.hx[0])};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> lstm_composite(const Tensor& input, TensorSpan hx,
                                                  TensorSpan params, bool has_biases,
                                                  int64_t num_layers, double dropout, bool train,
                                                  bool bidirectional, bool batch_first) {
  const RecurrentCall call{"lstm",     4,          input,   hx,    params,
                           has_biases, num_layers, dropout, train, bidirectional,
                           batch_first};
  check_recurrent_call(call, 2);
  std::vector<Tensor> results = run_recurrent_layers(call, &lstm_step);
  return {std::move(results[0]), std::move(results[1]), std::move(results[2])};
}

std::tuple<FakeTensor, FakeTensor, FakeTensor> lstm_fake(const FakeTensor& input, FakeSpan hx,
                                                         FakeSpan params, bool has_biases,
                                                         int64_t num_layers, double dropout,
                                                         bool train, bool bidirectional,
                                                         bool batch_first) {
  const RecurrentCall call{
      "lstm",  4,     as_tensor(input), as_tensors(hx), as_tensors(params), has_biases, num_layers,
      dropout, train, bidirectional,    batch_first};
  check_recurrent_call(call, 2);
  return {fake_output(call, input), fake_state(input, call.hx[0]), fake_state(input, call.hx[1])};
}

TensorPair gru_composite(const Tensor& input, const Tensor& hx, TensorSpan params, bool has_biases,
                         int64_t num_layers, double dropout, bool train, bool bidirectional,
                         bool batch_first) {
  return run_of_one_state("gru", 3, &gru_step, input, hx, params, has_biases, num_layers, dropout,
                          train, bidirectional, batch_first);
}

FakePair gru_fake(const FakeTensor& input, const FakeTensor& hx, FakeSpan params, bool has_biases,
                  int64_t num_layers, double dropout, bool train, bool bidirectional,
                  bool batch_first) {
  return fake_of_one_state("gru", 3, input, hx, params, has_biases, num_layers, dropout, train,
                           bidirectional, batch_first);
}

TensorPair rnn_tanh_composite(const Tensor& input, const Tensor& hx, TensorSpan params,
                              bool has_biases, int64_t num_layers, double dropout, bool train,
                              bool bidirectional, bool batch_first) {
  return run_of_one_state("rnn_tanh", 1, &tanh_step, input, hx, params, has_biases, num_layers,
                          dropout, train, bidirectional, batch_first);
}

FakePair rnn_tanh_fake(const FakeTensor& input, const FakeTensor& hx, FakeSpan params,
                       bool has_biases, int64_t num_layers, double dropout, bool train,
                       bool bidirectional, bool batch_first) {
  return fake_of_one_state("rnn_tanh", 1, input, hx, params, has_biases, num_layers, dropout, train,
                           bidirectional, batch_first);
}

TensorPair rnn_relu_composite(const Tensor& input, const Tensor& hx, TensorSpan params,
                              bool has_biases, int64_t num_layers, double dropout, bool train,
                              bool bidirectional, bool batch_first) {
  return run_of_one_state("rnn_relu", 1, &relu_step, input, hx, params, has_biases, num_layers,
                          dropout, train, bidirectional, batch_first);
}

FakePair rnn_relu_fake(const FakeTensor& input, const FakeTensor& hx, FakeSpan params,
                       bool has_biases, int64_t num_layers, double dropout, bool train,
                       bool bidirectional, bool batch_first) {
  return fake_of_one_state("rnn_relu", 1, input, hx, params, has_biases, num_layers, dropout, train,
                           bidirectional, batch_first);
}

}  // namespace opwright
