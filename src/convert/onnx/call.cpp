#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/call_arguments.h"
#include "opwright/convert/onnx/call_state.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ir/node.h"
#include "opwright/ir/node_argument.h"
#include "opwright/onnx.h"
#include "opwright/schema/constant.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright::onnx {
namespace {

CallArguments arguments_of(const Call::State& call) { return {call.node, "ONNX"}; }

}  // namespace

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
  const NodeArgument& argument = arguments_of(state_).argument(index);
  if (argument.kind() == NodeArgument::Kind::List)
    arguments_of(state_).fail_kind(index, "one tensor");
  return value_of(state_, argument);
}

OnnxValue Call::input(size_t index, DType dtype) const {
  const OnnxValue value = input(index);
  return value.is_there() ? state_.g.cast(value, dtype) : value;
}

OnnxValues Call::inputs(size_t index) const {
  const NodeArgument& argument = arguments_of(state_).argument(index);
  OnnxValues values;
  if (argument.kind() == NodeArgument::Kind::List) {
    for (const NodeArgument& each : argument.elements()) values.push_back(value_of(state_, each));
  } else if (argument.kind() == NodeArgument::Kind::Constant) {
    const OpwValue& constant = argument.constant().get();
    if (constant.tag != kOpwNone && !is_list_tag(constant.tag))
      arguments_of(state_).fail_kind(index, "a list of tensors");
    for (uint32_t i = 0; constant.tag != kOpwNone && i < constant.length; ++i)
      values.push_back(
          value_of(state_, NodeArgument::constant(Value::copy_of(list_element(constant, i)))));
  } else {
    arguments_of(state_).fail_kind(index, "a list of tensors");
  }
  return values;
}

const std::string& Call::op() const { return arguments_of(state_).op(); }
size_t Call::num_arguments() const { return arguments_of(state_).num_arguments(); }
bool Call::has(size_t index) const { return arguments_of(state_).has(index); }
Tensor Call::tensor(size_t index) const { return arguments_of(state_).tensor(index); }
std::vector<Tensor> Call::tensors(size_t index) const {
  return arguments_of(state_).tensors(index);
}
Tensor Call::result(size_t index) const { return arguments_of(state_).result(index); }
size_t Call::num_results() const { return arguments_of(state_).num_results(); }
bool Call::is_used(size_t result) const { return arguments_of(state_).is_used(result); }
SymInt Call::sym_int(size_t index) const { return arguments_of(state_).sym_int(index); }
int64_t Call::integer(size_t index) const { return arguments_of(state_).integer(index); }
std::vector<SymInt> Call::sym_ints(size_t index) const {
  return arguments_of(state_).sym_ints(index);
}
std::vector<int64_t> Call::integers(size_t index) const {
  return arguments_of(state_).integers(index);
}
double Call::number(size_t index) const { return arguments_of(state_).number(index); }
std::vector<double> Call::numbers(size_t index) const {
  return arguments_of(state_).numbers(index);
}
bool Call::boolean(size_t index) const { return arguments_of(state_).boolean(index); }
std::string Call::text(size_t index) const { return arguments_of(state_).text(index); }
std::optional<DType> Call::dtype(size_t index) const { return arguments_of(state_).dtype(index); }
const OpwValue& Call::constant(size_t index) const { return arguments_of(state_).constant(index); }
void Call::refuse(std::string_view reason) const { arguments_of(state_).refuse(reason); }

}  // namespace opwright::onnx
