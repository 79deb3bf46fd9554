#include "opwright/convert/call_arguments.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/schema/constant.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace opwright {
namespace {

std::optional<double> number_of(const OpwValue& value) {
  if (value.tag == kOpwFloat) return ValueOf<double>::read(value);
  if (value.tag == kOpwInt) return static_cast<double>(value.as_int);
  if (value.tag == kOpwBool) return ValueOf<bool>::read(value) ? 1.0 : 0.0;
  return std::nullopt;
}

std::string name_argument(const Node& node, size_t index) {
  return concatenate(name_call(node), ": argument '", node.op().schema().arguments[index].name,
                     "'");
}

}  // namespace

std::string name_call(const Node& node) {
  return node.site().is_known() ? concatenate(node.op().name(), " (", node.site(), ")")
                                : node.op().name();
}

std::optional<SymInt> int_of(const NodeArgument& argument) {
  if (argument.kind() == NodeArgument::Kind::List) return std::nullopt;
  const OpwValue& value = argument.kind() == NodeArgument::Kind::Value
                              ? argument.value().meta().get()
                              : argument.constant().get();
  if (value.tag == kOpwInt) return SymInt(value.as_int);
  if (value.tag == kOpwSymInt) return ValueOf<SymInt>::read(value);
  if (value.tag == kOpwBool) return SymInt(int64_t{ValueOf<bool>::read(value)});
  return std::nullopt;
}

const NodeArgument& CallArguments::argument(size_t index) const {
  OPWRIGHT_CHECK_INDEX(index < node_.args().size(), name_call(node_), ": it has ",
                       node_.args().size(), " arguments, so none at ", index);
  return node_.args()[index];
}

void CallArguments::fail_kind(size_t index, const char* wanted) const {
  const NodeArgument& given = argument(index);
  throw_error("TypeError", name_argument(node_, index), " must be ", wanted, ", got ",
              given.kind() == NodeArgument::Kind::Constant ? value_text(given.constant().get())
                                                           : "a tensor");
}

int64_t CallArguments::plain(size_t index, const SymInt& size) const {
  if (!size.is_symbolic()) return size.word();
  throw_error("NotImplementedError", name_argument(node_, index), " is ", size,
              ", which changes from run to run; ", engine_, " takes only a number there");
}

const std::string& CallArguments::op() const { return node_.op().name(); }
size_t CallArguments::num_arguments() const { return node_.args().size(); }

bool CallArguments::has(size_t index) const {
  const NodeArgument& given = argument(index);
  return given.kind() != NodeArgument::Kind::Constant || !given.constant().is_none();
}

Tensor CallArguments::tensor(size_t index) const {
  const NodeArgument& given = argument(index);
  if (given.kind() != NodeArgument::Kind::Value || !given.value().tensor().is_defined())
    fail_kind(index, "a tensor");
  return given.value().tensor();
}

std::vector<Tensor> CallArguments::tensors(size_t index) const {
  std::vector<Tensor> tensors;
  for (const NodeArgument& each : argument(index).elements())
    tensors.push_back(each.kind() == NodeArgument::Kind::Value ? each.value().tensor() : Tensor());
  return tensors;
}

Tensor CallArguments::result(size_t index) const {
  OPWRIGHT_CHECK_INDEX(index < num_results(), name_call(node_), ": it has ", num_results(),
                       " results, so none at ", index);
  return node_.values()[index].tensor();
}
size_t CallArguments::num_results() const { return node_.values().size(); }
bool CallArguments::is_used(size_t result) const { return !node_.values()[result].users().empty(); }

SymInt CallArguments::sym_int(size_t index) const {
  const auto size = int_of(argument(index));
  if (!size) fail_kind(index, "an int");
  return *size;
}
int64_t CallArguments::integer(size_t index) const { return plain(index, sym_int(index)); }

std::vector<SymInt> CallArguments::sym_ints(size_t index) const {
  const NodeArgument& given = argument(index);
  std::vector<SymInt> sizes;
  if (given.kind() == NodeArgument::Kind::List) {
    for (const NodeArgument& each : given.elements()) {
      const auto size = int_of(each);
      if (!size) fail_kind(index, "a list of ints");
      sizes.push_back(*size);
    }
    return sizes;
  }
  if (const auto one = int_of(given)) return {*one};  // a number counts as a list of one
  const OpwValue& list = given.constant().get();
  if (!is_list_tag(list.tag)) fail_kind(index, "a list of ints");
  for (uint32_t i = 0; i < list.length; ++i) {
    const auto size = int_of(NodeArgument::constant(Value::copy_of(list_element(list, i))));
    if (!size) fail_kind(index, "a list of ints");
    sizes.push_back(*size);
  }
  return sizes;
}

std::vector<int64_t> CallArguments::integers(size_t index) const {
  std::vector<int64_t> numbers;
  for (const SymInt& size : sym_ints(index)) numbers.push_back(plain(index, size));
  return numbers;
}

double CallArguments::number(size_t index) const {
  const auto number = number_of(constant(index));
  if (!number) fail_kind(index, "a number");
  return *number;
}

std::vector<double> CallArguments::numbers(size_t index) const {
  const OpwValue& list = constant(index);
  if (!is_list_tag(list.tag)) fail_kind(index, "a list of numbers");
  std::vector<double> numbers;
  for (uint32_t i = 0; i < list.length; ++i) {
    const auto number = number_of(list_element(list, i));
    if (!number) fail_kind(index, "a list of numbers");
    numbers.push_back(*number);
  }
  return numbers;
}

bool CallArguments::boolean(size_t index) const {
  const OpwValue& value = constant(index);
  if (value.tag != kOpwBool) fail_kind(index, "a bool");
  return ValueOf<bool>::read(value);
}

std::string CallArguments::text(size_t index) const {
  const OpwValue& value = constant(index);
  if (value.tag != kOpwString) fail_kind(index, "a string");
  return std::string(ValueOf<std::string_view>::read(value));
}

std::optional<DType> CallArguments::dtype(size_t index) const {
  const OpwValue& value = constant(index);
  if (value.tag == kOpwNone) return std::nullopt;
  if (value.tag != kOpwDtype) fail_kind(index, "a dtype");
  return ValueOf<DType>::read(value);
}

const OpwValue& CallArguments::constant(size_t index) const {
  return argument(index).constant().get();
}

void CallArguments::refuse(std::string_view reason) const {
  throw_error("NotImplementedError", name_call(node_), ": ", reason);
}

}  // namespace opwright
