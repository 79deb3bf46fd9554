// Which inputs of a node belong to which argument.
#pragma once

#include <cstddef>
#include <vector>

#include "bridges/onnxruntime/node_attributes.h"
#include "bridges/onnxruntime/ort_operator.h"

namespace opwright::ort_bridge {

// Inputs `first` to `first + count`. Of a list those are its elements; else there is one, or none
// for a node that ends before it.
struct InputPlace {
  size_t argument;
  size_t first;
  size_t count;
};

// One for each input of the form. The length of a list that is not the last input is told by the
// attribute "<argument>_count". TypeError for a node that has too few or too many inputs.
[[nodiscard]] std::vector<InputPlace> place_inputs(const OrtOperator& op,
                                                   const NodeAttributes& attributes,
                                                   size_t num_inputs);

// The values of all arguments that are no inputs, and None for those that are.
[[nodiscard]] std::vector<Value> read_attributes(const OrtOperator& op,
                                                 const NodeAttributes& attributes);

}  // namespace opwright::ort_bridge
