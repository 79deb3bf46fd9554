#include <cstddef>
#include <cstdint>

#include "opwright/c_api.h"
#include "opwright/convert/call_arguments.h"
#include "opwright/convert/onnx/model/call_state.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/runtime/onnx.h"
#include "opwright/schema/constant.h"
#include "opwright/value.h"

namespace opwright::onnx {

Call::Call(State& state) : CallArguments(state.node, "ONNX"), state_(state) {}

OnnxValue value_of(const Call::State& call, const NodeArgument& argument) {
  if (argument.kind() == NodeArgument::Kind::Value) return call.values[argument.value().number()];
  const OpwValue& constant = argument.constant().get();
  if (constant.tag == kOpwNone) return {};
  if (const auto size = int_of(argument); size && constant.tag != kOpwBool)
    return call.g.size(*size);
  if (constant.tag == kOpwBool) return call.g.scalar(constant, DType::Bool);
  if (constant.tag == kOpwFloat) return call.g.scalar(constant, DType::Float32);
  throw_error("TypeError", name_call(call.node), ": ", value_text(constant),
              " cannot be an input of an ONNX node");
}

OnnxValue Call::input(size_t index) const {
  const NodeArgument& given = argument(index);
  if (given.kind() == NodeArgument::Kind::List) fail_kind(index, "one tensor");
  return value_of(state_, given);
}

OnnxValue Call::input(size_t index, DType dtype) const {
  const OnnxValue value = input(index);
  return value.is_there() ? state_.g.cast(value, dtype) : value;
}

OnnxValues Call::inputs(size_t index) const {
  const NodeArgument& given = argument(index);
  OnnxValues values;
  if (given.kind() == NodeArgument::Kind::List) {
    for (const NodeArgument& each : given.elements()) values.push_back(value_of(state_, each));
  } else if (given.kind() == NodeArgument::Kind::Constant) {
    const OpwValue& constant = given.constant().get();
    if (constant.tag != kOpwNone && !is_list_tag(constant.tag))
      fail_kind(index, "a list of tensors");
    for (uint32_t i = 0; constant.tag != kOpwNone && i < constant.length; ++i)
      values.push_back(
          value_of(state_, NodeArgument::constant(Value::copy_of(list_element(constant, i)))));
  } else {
    fail_kind(index, "a list of tensors");
  }
  return values;
}

}  // namespace opwright::onnx
