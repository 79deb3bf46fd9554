// The nodes that an operator can be in a model.
#pragma once

#include <string>
#include <vector>

#include "opwright/bridge.h"
#include "opwright/onnx.h"

namespace opwright::ort_bridge {

// By its schema: the domain is the namespace, the name "base" or "base_overload".
[[nodiscard]] onnx::NodeForm default_form(const OperatorDescription& op);

// All that exported models may hold. One that writes also stands there as its functional sibling.
[[nodiscard]] std::vector<onnx::NodeForm> list_forms(const OperatorDescription& op);

// "domain::Name(x, alpha=alpha)"; without parentheses the arguments are those of the schema.
// ValueError for a text that is no form.
[[nodiscard]] onnx::NodeForm read_form(const OperatorDescription& op, const std::string& text);

}  // namespace opwright::ort_bridge
