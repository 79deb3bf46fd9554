// Finds the nodes of operators in exported models without a model: tries each rule on a made-up
// call.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/convert/converter.h"
#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/convert/onnx/model/call_state.h"
#include "opwright/convert/onnx/model/node_form.h"
#include "opwright/convert/onnx/onnx_converter.h"
#include "opwright/device.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/dtype.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/runtime/onnx.h"
#include "opwright/schema/schema.h"
#include "opwright/schema/type.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"
#include "opwright/value.h"

namespace opwright::onnx {
namespace {

// A graph with one call of an operator whose arguments are all distinct.
class SampleCall {
 public:
  explicit SampleCall(const Operator& op) : graph_(make_intrusive<Graph>()) {
    CallDescription call;
    call.op = &op;
    for (const Argument& argument : op.schema().arguments)
      call.args.push_back(make_argument(argument.type.required(), argument.name));
    for (const Return& result : op.schema().returns) {
      const bool is_list = result.type.required().is_list();
      call.results.push_back(is_list ? Value(std::vector<Tensor>{make_tensor()})
                                     : Value(make_tensor()));
    }
    node_ = &graph_->insert_call(std::move(call));
  }
  [[nodiscard]] const Node& node() const { return *node_; }
  [[nodiscard]] const Graph& graph() const { return *graph_; }

 private:
  static Tensor make_tensor() {
    const int64_t sizes[] = {2, 3};
    return make_fake(sizes, DType::Float32, kCpu);
  }

  NodeArgument make_argument(const Type& type, const std::string& name) {
    if (type.is_list()) {
      const Type& element = type.element().required();
      if (element.kind() == Type::Tensor) return NodeArgument::list({make_argument(element, name)});
      if (element.kind() == Type::Float)
        return NodeArgument::constant(Value(std::vector<double>{next_half()}));
      if (element.kind() == Type::String)
        return NodeArgument::constant(Value(std::vector<std::string>{name}));
      if (element.kind() == Type::Bool) {
        const bool sample[] = {true};
        return NodeArgument::constant(Value(std::span<const bool>(sample)));
      }
      return NodeArgument::constant(Value(std::vector<int64_t>{next_number()}));
    }
    switch (type.kind()) {
      case Type::Tensor:
        return NodeArgument::of(graph_->add_input(name, Value(make_tensor())));
      case Type::Int:
      case Type::SymInt:
        return NodeArgument::constant(Value(next_number()));
      case Type::Float:
      case Type::Scalar:
        return NodeArgument::constant(Value(next_half()));
      case Type::Bool:
        return NodeArgument::constant(Value(true));
      case Type::String:
        return NodeArgument::constant(Value(name));
      default:
        return {};
    }
  }
  int64_t next_number() { return ++last_number_; }
  double next_half() { return static_cast<double>(next_number()) + 0.5; }

  GraphPtr graph_;
  Node* node_ = nullptr;
  int64_t last_number_ = 1000;  // a number that no author writes into a rule
};

// nullopt if the rule does not make exactly one node, or rejects the call.
std::optional<NodeForm> try_rule(const OnnxConverter& rule, const Operator& op, int64_t opset) {
  try {
    const SampleCall sample(op);
    GraphBuilder::State state;
    state.opset = opset;
    BodyScope scope;
    state.scope = &scope;
    GraphBuilder g(state);
    OnnxValues values(sample.graph().num_value_numbers());
    for (const GraphValue* input : sample.graph().inputs()) {
      values[input->number()] = state.add({.name = input->name()});
      g.set_type(values[input->number()], DType::Float32, {2, 3});
    }
    Call::State call_state{g, sample.node(), values};
    const Call call(call_state);
    const OnnxValues made = rule.convert(g, call);
    const bool is_one_node = scope.nodes.size() == 1 && !scope.nodes.front().domain.empty() &&
                             scope.nodes.front().outputs == made;
    return is_one_node ? find_form(call, scope.nodes.front()) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

bool is_same(const NodeForm& a, const NodeForm& b) {
  return a.domain == b.domain && a.name == b.name;
}

}  // namespace

std::vector<NodeForm> node_forms(const std::string& name) {
  const Operator& op = Registry::get().require(name);
  std::vector<NodeForm> forms;
  const auto add = [&](const std::optional<NodeForm>& form) {
    if (form && std::ranges::none_of(forms, [&](const auto& each) { return is_same(each, *form); }))
      forms.push_back(*form);
  };
  for (int64_t opset = kNewestOpset; opset >= kOldestOpset; --opset) {
    const FoundConverter found = find_converter(op, kEngine, opset);
    if (found.node_text) {
      add(parse_node_form(*found.node_text, op));
    } else if (found.rule) {
      add(try_rule(static_cast<const OnnxConverter&>(*found.rule), op, opset));
    } else {
      break;
    }
  }
  add(default_form(op));
  return forms;
}

}  // namespace opwright::onnx
