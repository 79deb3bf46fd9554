// An attribute of a node as the value of an argument.
//
// int, SymInt, bool: INT. float: FLOAT (a float32), read as its shortest decimal number, so that
// 0.1 in the model is the 0.1 that was exported; or INT. Scalar: INT or FLOAT. str: STRING;
// ScalarType, Device, Layout, MemoryFormat: STRING with their name. Lists: INTS, FLOATS, STRINGS.
#pragma once

#include <cstddef>
#include <string>

#include "bridges/onnxruntime/node_attributes.h"
#include "opwright/runtime/bridge.h"
#include "opwright/value.h"

namespace opwright::ort_bridge {

// Whether attributes can have values of that type.
[[nodiscard]] bool can_be_attribute(const ValueType& type);

// The value of argument `index` from the attribute `name`; without the attribute its default, or
// None for an optional type. TypeError for one that is missing, or of another kind.
[[nodiscard]] Value read_attribute(const OperatorDescription& op, size_t index,
                                   const std::string& name, const NodeAttributes& attributes);

// The name of an argument in errors: "audio::soft_clip: argument 'limit'".
[[nodiscard]] std::string name_argument(const OperatorDescription& op, size_t index);

}  // namespace opwright::ort_bridge
