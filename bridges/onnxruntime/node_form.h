// The nodes that can represent an operator in a model, parsed from text.
#pragma once

#include <string>
#include <vector>

#include "opwright/runtime/bridge.h"
#include "opwright/runtime/onnx.h"

namespace opwright::ort_bridge {

// All forms that exported models may contain. An operator that writes also has the name of its
// functional variant.
[[nodiscard]] std::vector<onnx::NodeForm> list_forms(const OperatorDescription& op);

// A line of a model's list, "cst::dual_residual = rknn_cst::cstDualResidual(x, y, alpha=alpha)".
struct NodeLine {
  std::string op;  // for a functional variant, the operator that it replaces
  std::string form;
};
// ValueError for a line of another form.
[[nodiscard]] NodeLine read_line(const std::string& line);

}  // namespace opwright::ort_bridge
