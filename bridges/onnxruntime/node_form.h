// The nodes that an operator can be in a model, by the text that tells them.
#pragma once

#include <string>
#include <vector>

#include "opwright/bridge.h"
#include "opwright/onnx.h"

namespace opwright::ort_bridge {

// All that exported models may hold. An operator that writes is also there under the name of its
// functional sibling.
[[nodiscard]] std::vector<onnx::NodeForm> list_forms(const OperatorDescription& op);

// A line of a model's list, "cst::dual_residual = rknn_cst::cstDualResidual(x, y, alpha=alpha)".
struct NodeLine {
  std::string op;  // of a functional sibling the operator that it stands for
  std::string form;
};
// ValueError for a line of another form.
[[nodiscard]] NodeLine read_line(const std::string& line);

}  // namespace opwright::ort_bridge
