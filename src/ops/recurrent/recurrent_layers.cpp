#include "opwright/ops/recurrent/recurrent_layers.h"

#include <algorithm>
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

struct CellWeights {
  Tensor input;
  std::optional<Tensor> input_bias;
  StepWeights step;
};

CellWeights weights_of(const RecurrentCall& call, int64_t cell) {
  const std::span<const Tensor> own =
      call.params.subspan(static_cast<size_t>(cell * call.weights_per_cell()),
                          static_cast<size_t>(call.weights_per_cell()));
  CellWeights weights{.input = own[0], .input_bias = {}, .step = {.hidden = own[1]}};
  if (call.has_biases) {
    weights.input_bias = own[2];
    weights.step.bias = own[3];
  }
  if (call.has_projections()) weights.step.projection = own.back();
  return weights;
}

struct CellResult {
  Tensor output;
  RecurrentState last;
};

// One layer in one direction; the input (L, N, features) is multiplied by the weights in one
// product.
CellResult run_cell(const Tensor& input, RecurrentState state, const CellWeights& weights,
                    RecurrentStep step, bool is_reverse) {
  std::vector<Tensor> steps = linear(input, weights.input, weights.input_bias).unbind(0);
  if (is_reverse) std::ranges::reverse(steps);
  for (Tensor& each : steps) {
    state = step(each, state, weights.step);
    each = state[0];
  }
  if (is_reverse) std::ranges::reverse(steps);
  return {.output = stack(steps), .last = std::move(state)};
}

SymSizes state_sizes(const RecurrentCall& call, size_t place) {
  const int64_t hidden_rows = call.num_gates;
  // The hidden weights have a column per element of the hidden state and rows for the cell.
  const SymInt size =
      place == 0 ? call.params[1].sym_size(1) : call.params[1].sym_size(0) / hidden_rows;
  return {call.num_cells(), call.input.sym_size(call.batch_first ? 0 : 1), size};
}

}  // namespace

bool RecurrentCall::has_projections() const {
  return hx.size() == 2 && !is_known_equal(hx[0].sym_size(-1), hx[1].sym_size(-1));
}

void check_recurrent_call(const RecurrentCall& call, size_t num_states) {
  OPWRIGHT_CHECK(call.input.dim() == 3, call.who, ": input must have 3 dimensions, got ",
                 call.input);
  OPWRIGHT_CHECK(call.num_layers > 0, call.who, ": num_layers must be positive, got ",
                 call.num_layers);
  OPWRIGHT_CHECK(call.hx.size() == num_states, call.who, ": the state must have ", num_states,
                 " tensors, got ", call.hx.size());
  for (const Tensor& each : call.hx) {
    OPWRIGHT_CHECK(each.dim() == 3, call.who, ": every tensor of hx must have 3 dimensions, got ",
                   each);
  }
  const auto wanted = static_cast<size_t>(call.num_cells() * call.weights_per_cell());
  OPWRIGHT_CHECK(call.params.size() == wanted, call.who, ": params must have ",
                 call.weights_per_cell(), " tensors for each layer and direction, ", wanted,
                 " in all, got ", call.params.size());
  const SymInt length = call.input.sym_size(call.batch_first ? 1 : 0);
  OPWRIGHT_DEMAND(length > 0, call.who, ": the sequence is empty, got sizes ",
                  to_text(sym_geometry_of(call.input).sizes));
  const SymInt features = call.input.sym_size(2);
  OPWRIGHT_DEMAND(features == call.params[0].sym_size(1), call.who,
                  ": the last size of input must be that of the weights, ",
                  call.params[0].sym_size(1), ", got ", features);
  for (size_t i = 0; i < num_states; ++i) {
    const SymSizes sizes = state_sizes(call, i);
    const SymSizes given = sym_geometry_of(call.hx[i]).sizes;
    OPWRIGHT_DEMAND(have_same_sizes(given, sizes), call.who, ": the first state must have sizes ",
                    to_text(sizes), ", got ", to_text(given));
  }
}

std::vector<Tensor> run_recurrent_layers(const RecurrentCall& call, RecurrentStep step) {
  Tensor input = call.batch_first ? call.input.transpose(0, 1) : call.input;
  std::vector<std::vector<Tensor>> last(call.hx.size());  // for each state, by cell
  for (int64_t layer = 0; layer < call.num_layers; ++layer) {
    std::vector<Tensor> outputs;
    for (int64_t direction = 0; direction < call.num_directions(); ++direction) {
      const int64_t cell = layer * call.num_directions() + direction;
      RecurrentState first;
      for (const Tensor& each : call.hx) first.push_back(each.select(0, cell));
      CellResult result =
          run_cell(input, std::move(first), weights_of(call, cell), step, direction == 1);
      outputs.push_back(std::move(result.output));
      for (size_t i = 0; i < last.size(); ++i) last[i].push_back(std::move(result.last[i]));
    }
    input = outputs.size() == 1 ? outputs[0] : cat(outputs, -1);
    if (call.dropout != 0 && layer + 1 < call.num_layers)
      input = dropout(input, call.dropout, call.train);
  }
  std::vector<Tensor> results{call.batch_first ? input.transpose(0, 1) : input};
  for (const std::vector<Tensor>& each : last) results.push_back(stack(each));
  return results;
}

}  // namespace opwright
