// verify: checks that a graph can run.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/error.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/type.h"
#include "opwright/schema/value_fits.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {
namespace {

class Verifier {
 public:
  Verifier(const Graph& graph, const SymbolScope& symbols, std::string context)
      : graph_(graph),
        symbols_(symbols),
        context_(std::move(context)),
        is_there_(graph.num_value_numbers(), false) {}

  void run();

 private:
  void check_input(const Node& node);
  void check_call(const Node& node);
  void check_operator(const Node& node);
  void check_argument(const Node& node, const NodeArgument& argument, const Type& type,
                      std::string_view name);
  void check_list(const Node& node, const NodeArgument& argument, const Type& type,
                  std::string_view name);
  void check_results(const Node& node);
  void check_symbols(const Node& node, const OpwValue& value);
  void check_symbol(const Node& node, const SymInt& expression);
  void check_sub_graphs(const Node& node, const OpwValue& value);
  void check_use(const Node& node, const GraphValue& value);
  void add_values(const Node& node);

  template <class... Parts>
  [[noreturn]] void fail(const Node& node, const Parts&... problem) const {
    const std::string line = node.site().is_known() ? " (" + node.site().text() + ")" : "";
    throw Error("ValueError",
                concatenate("graph: ", context_, "'", node_text(node), "'", line, " ", problem...));
  }

  const Graph& graph_;
  SymbolScope symbols_;
  std::string context_;         // for a sub-graph: its location
  std::vector<bool> is_there_;  // indexed by value number
};

std::string describe_argument(const NodeArgument& argument) {
  std::string text;
  append_argument_text(text, argument);
  return text;
}

// An example with the tag of the values that the metadata describes.
OpwValue example_of(const GraphValue& value) { return value.meta().get(); }

void Verifier::check_symbol(const Node& node, const SymInt& expression) {
  if (!expression.is_symbolic()) return;
  if (!graph_.shape_env() || shape_env_of(expression) != graph_.shape_env().get()) {
    fail(node, "has the size ", expression,
         " of another trace; the symbols of a graph are those of its own environment");
  }
  const std::string symbol = symbols_.find_unbound(expression);
  if (!symbol.empty()) {
    fail(node, "uses the symbol ", symbol,
         ", which no input and no earlier node binds; give the graph an input of that size");
  }
}

void Verifier::check_symbols(const Node& node, const OpwValue& value) {
  if (value.tag == kOpwSymInt) return check_symbol(node, SymInt::borrow(value.as_int));
  if (value.tag != kOpwSymIntList && value.tag != kOpwList) return;
  for (uint32_t i = 0; i < value.length; ++i) check_symbols(node, list_element(value, i));
}

void Verifier::check_sub_graphs(const Node& node, const OpwValue& value) {
  if (value.tag == kOpwList) {
    for (uint32_t i = 0; i < value.length; ++i) check_sub_graphs(node, list_element(value, i));
  }
  if (!is_graph(value)) return;
  if (node.kind() != NodeKind::Call) fail(node, "returns a graph, which only operators accept");
  const GraphPtr inner = graph_of(value);
  if (inner->shape_env() && inner->shape_env() != graph_.shape_env()) {
    fail(node,
         "has a sub-graph with symbols of its own; trace it in the environment of the graph "
         "around it");
  }
  Verifier(*inner, symbols_, concatenate(context_, "in a sub-graph of ", node.op().name(), ": "))
      .run();
}

void Verifier::check_use(const Node& node, const GraphValue& value) {
  if (&value.node().graph() != &graph_) {
    fail(node, "uses %", value.name(), ", a value of another graph");
  }
  if (!is_there_[value.number()]) {
    fail(node, "uses %", value.name(), " before '", node_text(value.node()),
         "' computes it; move that node before this one");
  }
}

void Verifier::check_list(const Node& node, const NodeArgument& argument, const Type& type,
                          std::string_view name) {
  const Type& list = type.required();
  if (list.kind() == TypeKind::Any) {
    for (const NodeArgument& element : argument.elements()) {
      check_argument(node, element, list, name);
    }
    return;
  }
  const size_t count = argument.elements().size();
  const bool is_tuple = list.kind() == TypeKind::Tuple && list.elements().size() == count;
  if (!list.is_list() && !is_tuple) {
    fail(node, "is given a list for '", name, "', which is ", type);
  }
  for (size_t i = 0; i < count; ++i) {
    check_argument(node, argument.elements()[i], is_tuple ? list.elements()[i] : list.element(),
                   name);
  }
}

void Verifier::check_argument(const Node& node, const NodeArgument& argument, const Type& type,
                              std::string_view name) {
  switch (argument.kind()) {
    case NodeArgument::Kind::List:
      return check_list(node, argument, type, name);
    case NodeArgument::Kind::Value:
      check_use(node, argument.value());
      if (!value_fits(type, example_of(argument.value()))) {
        fail(node, "is given %", argument.value().name(), ", ", meta_text(argument.value().meta()),
             ", for '", name, "', which is ", type);
      }
      return;
    case NodeArgument::Kind::Constant:
      break;
  }
  const OpwValue& constant = argument.constant().get();
  if (!value_fits(type, constant)) {
    fail(node, "is given ", describe_argument(argument), " for '", name, "', which is ", type);
  }
  check_symbols(node, constant);
  check_sub_graphs(node, constant);
}

void Verifier::check_operator(const Node& node) {
  const Operator& op = node.op();
  if (op.is_removed()) {
    fail(node, "calls ", op.name(),
         ", which was removed from the registry; load the library that defines it");
  }
  if (node.args().size() != op.num_arguments()) {
    fail(node, "has ", node.args().size(), " arguments, ", op.name(), " takes ",
         op.num_arguments());
  }
  if (node.results().size() != op.num_results()) {
    fail(node, "has ", node.results().size(), " results, ", op.name(), " gives ", op.num_results());
  }
}

void Verifier::check_results(const Node& node) {
  const std::vector<Return>& declared = node.op().schema().returns;
  for (size_t i = 0; i < node.results().size(); ++i) {
    const NodeResult& result = node.results()[i];
    const Type& type = declared[i].type;
    if (result.is_list && !type.required().is_list()) {
      fail(node, "gives a list as its result ", i, ", which is ", type);
    }
    // One of several results may be undefined: gradients that an output_mask omits.
    if (result.count == 0 && !result.is_list && type.kind() == TypeKind::Tensor &&
        declared.size() == 1) {
      fail(node, "has no value for its result ", i, ", which is ", type);
    }
    const Type& each = result.is_list ? type.required().element() : type;
    for (uint32_t j = 0; j < result.count; ++j) {
      const GraphValue& value = node.values()[result.first + j];
      if (!value_fits(each, example_of(value))) {
        fail(node, "gives %", value.name(), ", ", meta_text(value.meta()), ", as its result ", i,
             ", which is ", type);
      }
    }
  }
}

void Verifier::add_values(const Node& node) {
  for (const GraphValue& value : node.values()) {
    (void)symbols_.bind(value);
    is_there_[value.number()] = true;
  }
  for (const GraphValue& value : node.values()) {
    if (node.kind() == NodeKind::Input) continue;  // checked after all inputs
    if (!shows_symbols(value.meta())) continue;
    for (const ShownNumber& shown : shown_numbers(value.meta())) {
      check_symbol(node, shown.expression);
    }
  }
}

void Verifier::check_call(const Node& node) {
  check_operator(node);
  const std::vector<Argument>& declared = node.op().schema().arguments;
  for (size_t i = 0; i < node.args().size(); ++i) {
    check_argument(node, node.args()[i], declared[i].type, declared[i].name);
  }
  check_results(node);
  add_values(node);
}

void Verifier::check_input(const Node& node) {
  const uint32_t tag = node.values()[0].meta().tag();
  if (tag != kOpwTensor && tag != kOpwSymInt) fail(node, "is neither a tensor nor an int");
  if (node.role() != InputRole::Argument && tag != kOpwTensor) {
    fail(node, "is an int; only inputs that the caller gives can be");
  }
}

void Verifier::run() {
  if (!graph_.output()) {
    throw Error("ValueError",
                concatenate("graph: ", context_, "it has no outputs; call set_outputs"));
  }
  const Node* node = graph_.first();
  for (; node && node->kind() == NodeKind::Input; node = node->next()) {
    check_input(*node);
    add_values(*node);
  }
  for (const GraphValue* input : graph_.inputs()) {
    for (const ShownNumber& shown : shown_numbers(input->meta())) {
      check_symbol(input->node(), shown.expression);
    }
  }
  for (; node; node = node->next()) {
    if (node->kind() == NodeKind::Call) check_call(*node);
  }
  for (const NodeArgument& output : graph_.outputs()) {
    check_argument(*graph_.output(), output, TypeKind::Any, "output");
  }
}

}  // namespace

void verify(const Graph& graph) {
  const SymbolScope symbols(graph.shape_env().get());
  Verifier(graph, symbols, "").run();
}

}  // namespace opwright
