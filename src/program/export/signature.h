// What the inputs and outputs of an exported graph are.
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
  ConstantTensor,  // one that the function closed over or made from data
  RandomState,
};

struct InputSpec {
  InputKind kind = InputKind::UserInput;
  std::string value;   // the graph's; empty: a user input that is `constant` and nothing else
  std::string target;  // "encoder.layers.0.weight"; of a user input where it stands in the call:
                       // "x", "batch[\"mask\"]"
  Value constant;
  bool is_persistent = true;  // of a Buffer: state_dict has it
};

enum class OutputKind : uint8_t {
  UserOutput,
  BufferMutation,  // the buffer `target` is set to `value` at the end
  ParameterMutation,
  UserInputMutation,  // the user input of value name `target`
};

struct OutputSpec {
  OutputKind kind = OutputKind::UserOutput;
  std::string value;  // the graph's; empty: a user output that is `constant`
  std::string target;
  Value constant;
};

// Inputs stand in the order of the graph's, constant user inputs among the other user inputs where
// the call has them. Outputs: mutations in the order of the graph, then user outputs in the order
// of the function's results.
struct GraphSignature {
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
};

}  // namespace opwright
