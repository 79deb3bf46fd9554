#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/onnx/call_state.h"
#include "opwright/dispatch/operator.h"
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

const NodeArgument& argument_at(const Call::State& call, size_t index) {
  OPWRIGHT_CHECK_INDEX(index < call.node.args().size(), name_call(call.node), ": it has ",
                       call.node.args().size(), " arguments, so none at ", index);
  return call.node.args()[index];
}

std::string name_argument(const Call::State& call, size_t index) {
  return concatenate(name_call(call.node), ": argument '",
                     call.node.op().schema().arguments[index].name, "'");
}

[[noreturn]] void fail_kind(const Call::State& call, size_t index, const char* wanted) {
  const NodeArgument& given = argument_at(call, index);
  throw_error("TypeError", name_argument(call, index), " must be ", wanted, ", got ",
              given.kind() == NodeArgument::Kind::Constant ? value_text(given.constant().get())
                                                           : "a tensor");
}

// The meta of a graph's value as a word of its size.
std::optional<SymInt> int_of(const NodeArgument& argument) {
  const OpwValue& value = argument.kind() == NodeArgument::Kind::Value
                              ? argument.value().meta().get()
                              : argument.constant().get();
  if (argument.kind() == NodeArgument::Kind::List) return std::nullopt;
  if (value.tag == kOpwInt) return SymInt(value.as_int);
  if (value.tag == kOpwSymInt) return ValueOf<SymInt>::read(value);
  if (value.tag == kOpwBool) return SymInt(int64_t{ValueOf<bool>::read(value)});
  return std::nullopt;
}

int64_t plain(const Call::State& call, size_t index, const SymInt& size) {
  if (!size.is_symbolic()) return size.word();
  throw_error("NotImplementedError", name_argument(call, index), " is ", size,
              ", which changes from run to run; ONNX takes only a number there");
}

std::optional<double> number_of(const OpwValue& value) {
  if (value.tag == kOpwFloat) return ValueOf<double>::read(value);
  if (value.tag == kOpwInt) return static_cast<double>(value.as_int);
  if (value.tag == kOpwBool) return ValueOf<bool>::read(value) ? 1.0 : 0.0;
  return std::nullopt;
}

}  // namespace

std::string name_call(const Node& node) {
  return node.site().is_known() ? concatenate(node.op().name(), " (", node.site(), ")")
                                : node.op().name();
}

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

const std::string& Call::op() const { return state_.node.op().name(); }
size_t Call::num_arguments() const { return state_.node.args().size(); }

bool Call::has(size_t index) const {
  const NodeArgument& argument = argument_at(state_, index);
  return argument.kind() != NodeArgument::Kind::Constant || !argument.constant().is_none();
}

OnnxValue Call::input(size_t index) const {
  const NodeArgument& argument = argument_at(state_, index);
  if (argument.kind() == NodeArgument::Kind::List) fail_kind(state_, index, "one tensor");
  return value_of(state_, argument);
}

OnnxValue Call::input(size_t index, DType dtype) const {
  const OnnxValue value = input(index);
  return value.is_there() ? state_.g.cast(value, dtype) : value;
}

OnnxValues Call::inputs(size_t index) const {
  const NodeArgument& argument = argument_at(state_, index);
  OnnxValues values;
  if (argument.kind() == NodeArgument::Kind::List) {
    for (const NodeArgument& each : argument.elements()) values.push_back(value_of(state_, each));
  } else if (argument.kind() == NodeArgument::Kind::Constant) {
    const OpwValue& constant = argument.constant().get();
    if (constant.tag != kOpwNone && !is_list_tag(constant.tag))
      fail_kind(state_, index, "a list of tensors");
    for (uint32_t i = 0; constant.tag != kOpwNone && i < constant.length; ++i)
      values.push_back(
          value_of(state_, NodeArgument::constant(Value::copy_of(list_element(constant, i)))));
  } else {
    fail_kind(state_, index, "a list of tensors");
  }
  return values;
}

Tensor Call::tensor(size_t index) const {
  const NodeArgument& argument = argument_at(state_, index);
  if (argument.kind() != NodeArgument::Kind::Value || !argument.value().tensor().is_defined())
    fail_kind(state_, index, "a tensor");
  return argument.value().tensor();
}

std::vector<Tensor> Call::tensors(size_t index) const {
  std::vector<Tensor> tensors;
  const NodeArgument& argument = argument_at(state_, index);
  for (const NodeArgument& each : argument.elements())
    tensors.push_back(each.kind() == NodeArgument::Kind::Value ? each.value().tensor() : Tensor());
  return tensors;
}

Tensor Call::result(size_t index) const {
  OPWRIGHT_CHECK_INDEX(index < num_results(), name_call(state_.node), ": it has ", num_results(),
                       " results, so none at ", index);
  return state_.node.values()[index].tensor();
}
size_t Call::num_results() const { return state_.node.values().size(); }
bool Call::is_used(size_t result) const { return !state_.node.values()[result].users().empty(); }

SymInt Call::sym_int(size_t index) const {
  const auto size = int_of(argument_at(state_, index));
  if (!size) fail_kind(state_, index, "an int");
  return *size;
}
int64_t Call::integer(size_t index) const { return plain(state_, index, sym_int(index)); }

std::vector<SymInt> Call::sym_ints(size_t index) const {
  const NodeArgument& argument = argument_at(state_, index);
  std::vector<SymInt> sizes;
  if (argument.kind() == NodeArgument::Kind::List) {
    for (const NodeArgument& each : argument.elements()) {
      const auto size = int_of(each);
      if (!size) fail_kind(state_, index, "a list of ints");
      sizes.push_back(*size);
    }
    return sizes;
  }
  if (const auto one = int_of(argument)) return {*one};  // a number stands for a list of one
  const OpwValue& list = argument.constant().get();
  if (!is_list_tag(list.tag)) fail_kind(state_, index, "a list of ints");
  for (uint32_t i = 0; i < list.length; ++i) {
    const auto size = int_of(NodeArgument::constant(Value::copy_of(list_element(list, i))));
    if (!size) fail_kind(state_, index, "a list of ints");
    sizes.push_back(*size);
  }
  return sizes;
}

std::vector<int64_t> Call::integers(size_t index) const {
  std::vector<int64_t> numbers;
  for (const SymInt& size : sym_ints(index)) numbers.push_back(plain(state_, index, size));
  return numbers;
}

double Call::number(size_t index) const {
  const auto number = number_of(constant(index));
  if (!number) fail_kind(state_, index, "a number");
  return *number;
}

std::vector<double> Call::numbers(size_t index) const {
  const OpwValue& list = constant(index);
  if (!is_list_tag(list.tag)) fail_kind(state_, index, "a list of numbers");
  std::vector<double> numbers;
  for (uint32_t i = 0; i < list.length; ++i) {
    const auto number = number_of(list_element(list, i));
    if (!number) fail_kind(state_, index, "a list of numbers");
    numbers.push_back(*number);
  }
  return numbers;
}

bool Call::boolean(size_t index) const {
  const OpwValue& value = constant(index);
  if (value.tag != kOpwBool) fail_kind(state_, index, "a bool");
  return ValueOf<bool>::read(value);
}

std::string Call::text(size_t index) const {
  const OpwValue& value = constant(index);
  if (value.tag != kOpwString) fail_kind(state_, index, "a string");
  return std::string(ValueOf<std::string_view>::read(value));
}

std::optional<DType> Call::dtype(size_t index) const {
  const OpwValue& value = constant(index);
  if (value.tag == kOpwNone) return std::nullopt;
  if (value.tag != kOpwDtype) fail_kind(state_, index, "a dtype");
  return ValueOf<DType>::read(value);
}

const OpwValue& Call::constant(size_t index) const {
  return argument_at(state_, index).constant().get();
}

void Call::refuse(std::string_view reason) const {
  throw_error("NotImplementedError", name_call(state_.node), ": ", reason);
}

}  // namespace opwright::onnx
