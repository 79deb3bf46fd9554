#include "bridges/onnxruntime/node_inputs.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bridges/onnxruntime/attribute_value.h"
#include "bridges/onnxruntime/node_attributes.h"
#include "bridges/onnxruntime/ort_operator.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/value.h"

namespace opwright::ort_bridge {
namespace {

size_t list_length(const OrtOperator& op, size_t argument, bool is_last,
                   const NodeAttributes& attributes, size_t rest) {
  const std::string name = op.description.arguments[argument].name + "_count";
  int64_t length = 0;
  if (attributes.read(name.c_str(), length)) {
    OPWRIGHT_CHECK_TYPE(length >= 0 && static_cast<size_t>(length) <= rest,
                        name_argument(op.description, argument), " has ", length,
                        " tensors, as the attribute '", name, "' says, but the node has only ",
                        rest, " inputs left for it");
    return static_cast<size_t>(length);
  }
  OPWRIGHT_CHECK_TYPE(is_last, name_argument(op.description, argument),
                      " is a list that is not the last input, so the node needs the attribute '",
                      name, "' with its length");
  return rest;
}

}  // namespace

std::vector<InputPlace> place_inputs(const OrtOperator& op, const NodeAttributes& attributes,
                                     size_t num_inputs) {
  std::vector<InputPlace> places;
  size_t next = 0;
  for (size_t i = 0; i < op.form.inputs.size(); ++i) {
    const size_t argument = op.form.inputs[i];
    const ValueType& type = op.description.arguments[argument].type;
    const size_t rest = num_inputs - next;
    const bool is_last = i + 1 == op.form.inputs.size();
    size_t count = rest > 0 ? 1 : 0;
    if (type.is_list) count = list_length(op, argument, is_last, attributes, rest);
    OPWRIGHT_CHECK_TYPE(count > 0 || type.is_list || type.is_optional,
                        name_argument(op.description, argument), " is missing: the node has only ",
                        num_inputs, " inputs");
    places.push_back({argument, next, count});
    next += count;
  }
  OPWRIGHT_CHECK_TYPE(next == num_inputs, op.description.name, ": the node has ", num_inputs,
                      " inputs, but the operator takes ", next);
  return places;
}

std::vector<Value> read_attributes(const OrtOperator& op, const NodeAttributes& attributes) {
  const size_t count = op.description.arguments.size();
  std::vector<Value> values(count);
  std::vector<bool> is_given(count);
  for (const uint32_t each : op.form.inputs) is_given[each] = true;
  for (const auto& each : op.form.attributes) {
    values[each.argument] =
        read_attribute(op.description, each.argument, each.attribute, attributes);
    is_given[each.argument] = true;
  }
  for (size_t i = 0; i < count; ++i) {
    const OpwValue* fallback = op.description.arguments[i].default_value;
    if (!is_given[i] && fallback) values[i] = Value::copy_of(*fallback);
  }
  return values;
}

}  // namespace opwright::ort_bridge
