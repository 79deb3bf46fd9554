#include "opwright/ir/graph/node_call.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/base/thread_state.h"
#include "opwright/base/user_line.h"
#include "opwright/dispatch/call.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/type.h"

namespace opwright {

bool has_symbols(const OpwValue& value) {
  switch (value.tag) {
    case kOpwSymInt:
      return is_symbolic(value.as_int);
    case kOpwSymIntList:
      return std::any_of(value.as_ints, value.as_ints + value.length,
                         [](OpwSymWord word) { return is_symbolic(word); });
    case kOpwList:
      for (uint32_t i = 0; i < value.length; ++i) {
        if (has_symbols(list_element(value, i))) return true;
      }
      return false;
    default:
      return false;
  }
}

namespace {

bool is_int_tag(uint32_t tag) { return tag == kOpwInt || tag == kOpwSymInt; }

Value int_list(std::span<const Value> elements) {
  std::vector<SymInt> ints;
  bool is_plain = true;
  for (const Value& element : elements) {
    ints.push_back(ValueOf<SymInt>::read(element.get()));
    is_plain &= !ints.back().is_symbolic();
  }
  Value list(ints);
  if (!is_plain) return list;
  OpwValue plain = list.give();
  plain.tag = kOpwIntList;
  return Value::take(plain);
}

}  // namespace

Value list_of(std::vector<Value> elements, const Type& type) {
  OpwTag tag = type.required().value_tag();
  if (tag == kOpwNone && !elements.empty()) {
    const auto all = [&](auto is_kind) {
      return std::ranges::all_of(elements, [&](const Value& v) { return is_kind(v.tag()); });
    };
    if (all([](uint32_t t) { return t == kOpwTensor; })) tag = kOpwTensorList;
    if (all(is_int_tag)) tag = kOpwIntList;
  }
  if (tag == kOpwIntList || tag == kOpwSymIntList) return int_list(elements);
  return pack_list(tag == kOpwNone ? kOpwList : tag, elements);
}

const Type& element_type(const Type& list, size_t index) {
  static const Type any = TypeKind::Any;
  const Type& type = list.required();
  if (type.is_list()) return type.element();
  return type.kind() == TypeKind::Tuple ? type.elements()[index] : any;
}

namespace {

Value constant_value(const RunState& state, const OpwValue& constant, const Type& type) {
  if (!has_symbols(constant)) return Value::copy_of(constant);
  if (constant.tag == kOpwSymInt) {
    return Value(substitute(*state.env, SymInt::borrow(constant.as_int), state.symbols));
  }
  std::vector<Value> elements;
  for (uint32_t i = 0; i < constant.length; ++i) {
    elements.push_back(constant_value(state, list_element(constant, i), element_type(type, i)));
  }
  return list_of(std::move(elements), type);
}

// Grad mode is on if both the caller's and the node's are.
class NodeGradScope {
 public:
  explicit NodeGradScope(const Node& node) noexcept
      : previous_(thread_state().set_grad_enabled(thread_state().grad_is_enabled() &&
                                                  node.grad_mode())) {}
  ~NodeGradScope() { thread_state().set_grad_enabled(previous_); }
  NodeGradScope(const NodeGradScope&) = delete;
  NodeGradScope& operator=(const NodeGradScope&) = delete;

 private:
  bool previous_;
};

// Borrows the value if the run has it in the required form.
OpwValue borrow_argument(const RunState& state, const NodeArgument& argument, const Type& type,
                         std::vector<Value>& owned) {
  if (argument.kind() == NodeArgument::Kind::Value) {
    return state.values[argument.value().number()].get();
  }
  const bool is_plain =
      argument.kind() == NodeArgument::Kind::Constant && !has_symbols(argument.constant().get());
  if (is_plain) return argument.constant().get();
  owned.push_back(argument_value(state, argument, type));
  return owned.back().get();
}

}  // namespace

Value argument_value(const RunState& state, const NodeArgument& argument, const Type& type) {
  switch (argument.kind()) {
    case NodeArgument::Kind::Constant:
      return constant_value(state, argument.constant().get(), type);
    case NodeArgument::Kind::Value:
      return state.values[argument.value().number()];
    case NodeArgument::Kind::List:
      break;
  }
  std::vector<Value> elements;
  for (const NodeArgument& element : argument.elements()) {
    elements.push_back(argument_value(state, element, element_type(type, elements.size())));
  }
  return list_of(std::move(elements), type);
}

void note_node(Error& error, const Node& node) {
  const std::string at = node.site().is_known() ? " from " + node.site().text() : "";
  error.add_note("node", concatenate("in the graph's '", node_text(node), "'", at));
}

void check_list_result(const Node& node, const NodeResult& result, const OpwValue& list) {
  OPWRIGHT_CHECK_VALUE(is_list_tag(list.tag) && list.length == result.count, "graph: '",
                       node_text(node), "' returned a list of ", list.length,
                       " where the graph was traced with ", result.count);
}

std::vector<Value> call_node(const RunState& state, const Node& node) {
  const NodeGradScope grad_mode(node);
  std::optional<UserLineScope> line;
  if (node.site().is_known()) line.emplace(node.site());
  std::optional<ModulePathScope> path;
  if (!node.module_path().empty()) path.emplace(node.module_path());
  std::vector<Value> owned;
  owned.reserve(node.args().size());
  SmallVector<OpwValue, 8> args;
  SmallVector<OpwValue, 4> results(node.op().num_results());
  try {
    OPWRIGHT_CHECK_VALUE(node.args().size() == node.op().num_arguments(), node.op().name(),
                         " takes ", node.op().num_arguments(), " arguments, the node has ",
                         node.args().size());
    for (size_t i = 0; i < node.args().size(); ++i) {
      const Type& type = node.op().schema().arguments[i].type;
      args.push_back(borrow_argument(state, node.args()[i], type, owned));
    }
    call(node.op(), {args.data(), args.size()}, {results.data(), results.size()});
  } catch (Error& error) {
    note_node(error, node);
    throw;
  }
  std::vector<Value> values;
  values.reserve(results.size());
  for (OpwValue& result : results) values.push_back(Value::take(result));
  return values;
}

}  // namespace opwright
