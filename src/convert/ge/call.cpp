#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/call_arguments.h"
#include "opwright/convert/ge/attribute.h"
#include "opwright/convert/ge/graph_builder.h"
#include "opwright/convert/ge/graph_conversion.h"
#include "opwright/convert/ge/model.h"
#include "opwright/convert/ge/prototype.h"
#include "opwright/convert/onnx/model/node_form.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/runtime/onnx.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/schema.h"
#include "opwright/value.h"

namespace opwright::graph_engine {

OutputPlace Call::value_of(const NodeArgument& argument) const {
  if (argument.kind() == NodeArgument::Kind::Value) return values_[argument.value().number()];
  const OpwValue& constant = argument.constant().get();
  if (constant.tag == kOpwNone) return {};
  if (constant.tag == kOpwBool) return g_.scalar(constant, DType::Bool);
  if (constant.tag == kOpwFloat) return g_.scalar(constant, DType::Float32);
  if (const auto size = int_of(argument)) return g_.size(*size);
  throw_error("TypeError", name_call(node()), ": ", value_text(constant),
              " cannot be an input of a GE op");
}

OutputPlace Call::input(size_t index) const {
  const NodeArgument& given = argument(index);
  if (given.kind() == NodeArgument::Kind::List) fail_kind(index, "one tensor");
  return value_of(given);
}

OutputPlace Call::input(size_t index, DType dtype) const {
  const NodeArgument& given = argument(index);
  const bool is_number = given.kind() == NodeArgument::Kind::Constant && has(index);
  if (is_number) return g_.scalar(given.constant().get(), dtype);
  const OutputPlace value = input(index);
  return value.is_there() ? g_.cast(value, dtype) : value;
}

GeValues Call::inputs(size_t index) const {
  const NodeArgument& given = argument(index);
  GeValues values;
  if (given.kind() == NodeArgument::Kind::Value) fail_kind(index, "a list of tensors");
  for (const NodeArgument& each : given.elements()) values.push_back(value_of(each));
  return values;
}

GeValues Call::given(const GeValues& results) const {
  GeValues values;
  for (size_t i = 0; i < results.size(); ++i) {
    if (gives(i)) values.push_back(results[i]);
  }
  return values;
}

namespace {

// The outputs of an op that represents a complete call.
std::vector<OutputName> call_output_names(const Node& node, const Prototype* prototype) {
  const std::vector<std::string> own = output_names(node.op().schema());
  std::vector<OutputName> names;
  for (size_t i = 0; i < node.results().size(); ++i) {
    const NodeResult& result = node.results()[i];
    OutputName output{.name = own[i]};
    if (prototype && i < prototype->outputs.size()) output.name = prototype->outputs[i].name;
    if (result.is_list) output.count = result.count;
    names.push_back(std::move(output));
  }
  return names;
}

}  // namespace

GeValues convert_by_text(GraphBuilder& g, const Call& call, const std::string& text) {
  const Operator& op = call.node().op();
  const auto& arguments = op.schema().arguments;
  onnx::NodeForm form;
  if (op.schema().name.name_space == "ge") {
    form = onnx::default_form(op);
    form.name = op.schema().name.base;
  } else {
    const bool has_domain = text.find("::") != std::string::npos;
    form = onnx::parse_node_form(has_domain ? text : "ge::" + text, op);
  }
  const PrototypePtr prototype = find_prototype(form.name);
  std::vector<NamedOperand> inputs;
  for (const uint32_t argument : form.inputs) {
    std::string name = arguments[argument].name;
    if (prototype && inputs.size() < prototype->inputs.size())
      name = prototype->inputs[inputs.size()].name;
    const bool is_list = arguments[argument].type.required().is_list();
    Operand value = is_list ? Operand(call.inputs(argument)) : Operand(call.input(argument));
    inputs.push_back({std::move(name), std::move(value)});
  }
  std::vector<Attribute> attributes;
  for (const auto& [name, argument] : form.attributes) {
    if (!call.has(argument)) continue;
    const OpwValue& value = call.constant(argument);
    if (value.tag == kOpwSymInt) (void)call.integer(argument);
    if (value.tag == kOpwSymIntList) {
      attributes.push_back(make_attribute(name, Value(call.integers(argument)).get()));
    } else {
      attributes.push_back(make_attribute(name, value));
    }
  }
  return g.custom_op(form.name, inputs, call_output_names(call.node(), prototype.get()),
                     std::move(attributes));
}

}  // namespace opwright::graph_engine
