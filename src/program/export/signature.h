// The roles of the inputs and outputs of an exported graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opwright/value.h"

namespace opwright {

enum class InputKind : uint8_t {
  UserInput,
  Parameter,
  Buffer,
  ConstantTensor,  // captured by the function, or made from data
  RandomState,
};

struct InputSpec {
  InputKind kind = InputKind::UserInput;
  std::string value;   // of the graph; empty: a user input that is just `constant`
  std::string target;  // "encoder.layers.0.weight"; for a user input, its path in the call: "x",
                       // "batch[\"mask\"]"
  Value constant;
  bool is_persistent = true;  // for a Buffer: whether state_dict has it
};

enum class OutputKind : uint8_t {
  UserOutput,
  BufferMutation,  // the buffer `target` is set to `value` at the end
  ParameterMutation,
  UserInputMutation,  // the user input of value name `target`
};

struct OutputSpec {
  OutputKind kind = OutputKind::UserOutput;
  std::string value;  // of the graph; empty: a user output that is just `constant`
  std::string target;
  Value constant;
};

// Inputs are in the order of the graph, with constant user inputs among the other user inputs in
// call order. Outputs: mutations in the order of the graph, then user outputs in the order of the
// function's results.
struct GraphSignature {
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
};

}  // namespace opwright
