// Maps the inputs of a node to arguments.
#pragma once

#include <cstddef>
#include <vector>

#include "bridges/onnxruntime/node_attributes.h"
#include "bridges/onnxruntime/ort_operator.h"

namespace opwright::ort_bridge {

// Inputs `first` to `first + count`. For a list, its elements; otherwise one, or none if the node
// has fewer inputs.
struct InputPlace {
  size_t argument;
  size_t first;
  size_t count;
};

// One for each input of the form. The attribute "<argument>_count" is the length of a list that is
// not the last input. TypeError for a node with too few or too many inputs.
[[nodiscard]] std::vector<InputPlace> place_inputs(const OrtOperator& op,
                                                   const NodeAttributes& attributes,
                                                   size_t num_inputs);

// The values of all arguments that are not inputs, and None for those that are.
[[nodiscard]] std::vector<Value> read_attributes(const OrtOperator& op,
                                                 const NodeAttributes& attributes);

}  // namespace opwright::ort_bridge
