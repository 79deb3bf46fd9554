// An operator as one node: which arguments are inputs, and which are attributes under which names.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/dispatch/operator.h"
#include "opwright/runtime/onnx.h"

namespace opwright::onnx {

// "cst" and "dual_residual", or "scale_out" for an overload.
[[nodiscard]] NodeForm default_form(const Operator& op);
[[nodiscard]] NodeForm parse_node_form(std::string_view text, const Operator& op);
[[nodiscard]] std::string to_text(const NodeForm& form, const Operator& op);

// The node of a call. TypeError for an argument that no attribute can hold, NotImplementedError for
// a dynamic size.
[[nodiscard]] OnnxValues add_node(GraphBuilder& g, const Call& call, const NodeForm& form);

// The form of a node that a rule created for a call; nullopt if there is none: it has other inputs
// than the call, or does not return its results.
[[nodiscard]] std::optional<NodeForm> find_form(const Call& call, const PendingNode& node);

}  // namespace opwright::onnx
