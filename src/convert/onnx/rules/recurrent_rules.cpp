// Recurrent networks as LSTM, GRU and RNN: one node per layer.
//
// The nodes order the gates differently, so weights are split and joined: as constants if they are
// known, otherwise by nodes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/convert/onnx/model/opset.h"
#include "opwright/convert/onnx/model/wide_dtype.h"
#include "opwright/convert/onnx/rules/rules.h"
#include "opwright/functions.h"

namespace opwright::onnx {
namespace {

struct Network {
  const char* type;                  // of the node
  std::vector<int64_t> gates;        // the position in the weights of each gate of the node
  const char* activation = nullptr;  // of the node, if it needs one
};

// (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
enum RecurrentArgument : uint8_t {
  kInput,
  kStates,
  kWeights,
  kHasBiases,
  kNumLayers,
  kLayerDropout,
  kTrain,
  kIsBidirectional,
  kIsBatchFirst,
};

constexpr std::array<int64_t, 3> kSwapped{1, 0, 2};

// ---- Weights ----

std::vector<Tensor> data_of(const GraphBuilder& g, std::span<const OnnxValue> values) {
  std::vector<Tensor> data;
  for (const OnnxValue value : values)
    if (const Tensor known = g.data(value); known.is_defined()) data.push_back(known);
  if (data.size() < values.size()) data.clear();
  return data;
}

// Concatenates rows of the values, gate by gate, with a first dimension of size 1.
OnnxValue join_gates(GraphBuilder& g, std::span<const OnnxValue> values,
                     std::span<const int64_t> gates, int64_t size) {
  const std::vector<Tensor> known = data_of(g, values);
  std::vector<Tensor> rows;
  OnnxValues parts;
  for (size_t i = 0; i < values.size(); ++i) {
    for (const int64_t gate : gates) {
      if (known.empty()) {
        parts.push_back(slice(g, values[i], 0, gate * size, (gate + 1) * size));
      } else {
        rows.push_back(opwright::slice(known[i], 0, gate * size, (gate + 1) * size));
      }
    }
  }
  if (!known.empty()) return g.constant(cat(rows).unsqueeze(0));
  const OnnxValue joined = parts.size() == 1 ? parts[0] : g.op("Concat", parts, {{"axis", 0}});
  return unsqueeze(g, joined, std::array<int64_t, 1>{0});
}

// Joins all directions.
OnnxValue join_directions(GraphBuilder& g, std::span<const OnnxValue> values) {
  if (values.size() == 1) return values[0];
  const std::vector<Tensor> known = data_of(g, values);
  return known.empty() ? g.op("Concat", values, {{"axis", 0}}) : g.constant(cat(known));
}

struct LayerWeights {
  OnnxValue input;
  OnnxValue hidden;
  OnnxValue biases;  // none: no biases
};

LayerWeights weights_of(GraphBuilder& g, const Call& call, const Network& network, int64_t layer,
                        int64_t hidden_size) {
  OnnxValues all = call.inputs(kWeights);
  for (OnnxValue& each : all) each = g.cast(each, without_bfloat16(call.result().dtype()));
  const bool has_biases = call.boolean(kHasBiases);
  const size_t directions = call.boolean(kIsBidirectional) ? 2 : 1;
  const size_t count = has_biases ? 4 : 2;
  std::array<OnnxValues, 3> parts;
  for (size_t i = 0; i < directions; ++i) {
    const std::span<const OnnxValue> own =
        std::span(all).subspan((static_cast<size_t>(layer) * directions + i) * count, count);
    parts[0].push_back(join_gates(g, own.subspan(0, 1), network.gates, hidden_size));
    parts[1].push_back(join_gates(g, own.subspan(1, 1), network.gates, hidden_size));
    if (has_biases)
      parts[2].push_back(join_gates(g, own.subspan(2, 2), network.gates, hidden_size));
  }
  return {.input = join_directions(g, parts[0]),
          .hidden = join_directions(g, parts[1]),
          .biases = has_biases ? join_directions(g, parts[2]) : OnnxValue()};
}

// ---- Layers ----

OnnxValue state_of_layer(GraphBuilder& g, const Call& call, OnnxValue given, int64_t layer) {
  const OnnxValue state = g.cast(given, without_bfloat16(call.result().dtype()));
  const int64_t directions = call.boolean(kIsBidirectional) ? 2 : 1;
  if (call.integer(kNumLayers) == 1) return state;
  return slice(g, state, 0, layer * directions, (layer + 1) * directions);
}

std::vector<Attribute> recurrent_attributes(const Call& call, const Network& network,
                                            int64_t hidden_size) {
  const bool is_bidirectional = call.boolean(kIsBidirectional);
  std::vector<Attribute> attributes{{"hidden_size", hidden_size},
                                    {"direction", is_bidirectional ? "bidirectional" : "forward"}};
  if (network.activation)
    attributes.emplace_back("activations",
                            std::vector<std::string>(is_bidirectional ? 2 : 1, network.activation));
  // As in the operators: the reset gate applies after the product with the state's weights.
  if (std::string_view(network.type) == "GRU") attributes.emplace_back("linear_before_reset", true);
  return attributes;
}

// The node returns (L, directions, N, H), the operators (L, N, directions * H).
OnnxValue join_outputs(GraphBuilder& g, const Call& call, OnnxValue output, int64_t hidden_size) {
  if (!call.boolean(kIsBidirectional)) return squeeze(g, output, std::array<int64_t, 1>{1});
  const bool is_batch_first = call.boolean(kIsBatchFirst);
  const std::array<SymInt, 3> sizes{call.tensor(kInput).sym_size(is_batch_first ? 1 : 0),
                                    call.tensor(kInput).sym_size(is_batch_first ? 0 : 1),
                                    SymInt(2 * hidden_size)};
  return reshape(g, transpose(g, output, std::array<int64_t, 4>{0, 2, 1, 3}), sizes);
}

void refuse_what_onnx_lacks(const Call& call, const Tensor& state) {
  if (call.number(kLayerDropout) != 0 && call.boolean(kTrain) && call.integer(kNumLayers) > 1)
    call.refuse("dropout between layers is of training; export the module after module.eval()");
  const size_t num_weights = call.tensors(kWeights).size();
  const auto num_cells =
      static_cast<size_t>(call.integer(kNumLayers) * (call.boolean(kIsBidirectional) ? 2 : 1));
  if (num_weights != num_cells * (call.boolean(kHasBiases) ? 4 : 2))
    call.refuse("ONNX has no LSTM with projections (proj_size)");
  if (state.sym_size(2).is_symbolic()) call.refuse("hidden_size must be a number for ONNX");
}

OnnxValues run_layers(GraphBuilder& g, const Call& call, const Network& network,
                      const OnnxValues& states, const Tensor& first_state) {
  refuse_what_onnx_lacks(call, first_state);
  const int64_t hidden_size = first_state.sym_size(2).word();
  const bool is_batch_first = call.boolean(kIsBatchFirst);
  const DType given = call.result().dtype();
  const DType dtype = without_bfloat16(given);
  OnnxValue input = call.input(kInput, dtype);
  if (is_batch_first) input = transpose(g, input, kSwapped);
  std::vector<OnnxValues> last(states.size());
  for (int64_t layer = 0; layer < call.integer(kNumLayers); ++layer) {
    const LayerWeights weights = weights_of(g, call, network, layer, hidden_size);
    OnnxValues inputs{input, weights.input, weights.hidden, weights.biases, {}};
    for (const OnnxValue state : states) inputs.push_back(state_of_layer(g, call, state, layer));
    const OnnxValues made = g.op(
        network.type, inputs, recurrent_attributes(call, network, hidden_size), 1 + states.size());
    input = join_outputs(g, call, made[0], hidden_size);
    for (size_t i = 0; i < states.size(); ++i) last[i].push_back(made[i + 1]);
  }
  OnnxValues results{is_batch_first ? transpose(g, input, kSwapped) : input};
  for (const OnnxValues& each : last)
    results.push_back(each.size() == 1 ? each[0] : g.op("Concat", each, {{"axis", 0}}));
  for (OnnxValue& each : results) each = recast(g, each, dtype, given);
  return results;
}

OnnxValues lstm_rule(GraphBuilder& g, const Call& call) {
  const Network network{.type = "LSTM", .gates = {0, 3, 1, 2}};  // input, output, forget, cell
  return run_layers(g, call, network, call.inputs(kStates), call.tensors(kStates)[0]);
}

OnnxValues with_one_state(GraphBuilder& g, const Call& call, const Network& network) {
  return run_layers(g, call, network, {call.input(kStates)}, call.tensor(kStates));
}
OnnxValues gru_rule(GraphBuilder& g, const Call& call) {
  return with_one_state(g, call, {.type = "GRU", .gates = {1, 0, 2}});  // update, reset, new
}
OnnxValues rnn_tanh_rule(GraphBuilder& g, const Call& call) {
  return with_one_state(g, call, {.type = "RNN", .gates = {0}, .activation = "Tanh"});
}
OnnxValues rnn_relu_rule(GraphBuilder& g, const Call& call) {
  return with_one_state(g, call, {.type = "RNN", .gates = {0}, .activation = "Relu"});
}

constexpr std::array kRecurrentRules = {
    BuiltinRule{"aten::lstm.input", &lstm_rule},
    BuiltinRule{"aten::gru.input", &gru_rule},
    BuiltinRule{"aten::rnn_tanh.input", &rnn_tanh_rule},
    BuiltinRule{"aten::rnn_relu.input", &rnn_relu_rule},
};

}  // namespace

std::span<const BuiltinRule> recurrent_rules() { return kRecurrentRules; }

}  // namespace opwright::onnx
