#include "opwright/convert/onnx/model/node_form.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/convert/onnx/model/call_state.h"
#include "opwright/convert/spaced_scanner.h"
#include "opwright/device.h"
#include "opwright/dispatch/operator.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node_argument.h"
#include "opwright/runtime/onnx.h"
#include "opwright/schema/constant.h"
#include "opwright/schema/schema.h"
#include "opwright/schema/type.h"
#include "opwright/symint.h"
#include "opwright/value.h"

namespace opwright::onnx {
namespace {

bool holds_tensors(const Type& type) {
  const Type& plain = type.required();
  if (plain.is_list()) return holds_tensors(plain.element());
  return plain.kind() == Type::Tensor;
}
bool is_tensor_list(const Type& type) { return type.required().is_list() && holds_tensors(type); }

// Parses "domain::Name(x, y, alpha=alpha)".
class FormReader : private SpacedScanner {
 public:
  FormReader(std::string_view text, const Operator& op) : SpacedScanner(text), op_(op) {}

  NodeForm read() {
    NodeForm form;
    form.domain = take_word("a domain");
    if (!skip("::")) fail("'::' must separate the domain and the name of the node");
    form.name = take_word("the name of the node");
    if (!skip("(")) {
      const NodeForm by_schema = default_form(op_);
      form.inputs = by_schema.inputs;
      form.attributes = by_schema.attributes;
    } else {
      while (!skip(")")) {
        read_item(form);
        if (!skip(",") && peek() != ')') fail("expected ',' or ')'");
      }
    }
    if (peek() != '\0') fail("expected the end");
    return form;
  }

 private:
  std::string take_word(const char* what) {
    std::string word = scan_word(".-");
    if (word.empty()) fail(concatenate("expected ", what));
    return word;
  }
  uint32_t find_argument(const std::string& name) {
    const auto& arguments = op_.schema().arguments;
    const auto found = std::ranges::find(arguments, name, &Argument::name);
    if (found == arguments.end()) fail(concatenate(op_.name(), " has no argument '", name, "'"));
    return static_cast<uint32_t>(found - arguments.begin());
  }
  void read_item(NodeForm& form) {
    std::string word = take_word("an argument");
    if (skip("=")) {
      const uint32_t argument = find_argument(take_word("an argument"));
      if (holds_tensors(op_.schema().arguments[argument].type))
        fail(concatenate("'", op_.schema().arguments[argument].name,
                         "' is a tensor: it is an input of the node, not an attribute"));
      form.attributes.push_back({std::move(word), argument});
    } else {
      form.inputs.push_back(find_argument(word));
    }
  }
  [[noreturn]] void fail(std::string_view problem) {
    throw_error("ValueError", op_.name(), ": its node '", text_, "' cannot be read: ", problem,
                "\n  Write it as 'domain::Name(input, ..., attribute=argument, ...)'.");
  }

  const Operator& op_;
};

[[noreturn]] void refuse_attribute(const Call::State& call, const Argument& argument,
                                   const char* problem) {
  throw_error("TypeError", name_call(call.node), ": argument '", argument.name, "' (",
              argument.type, ") ", problem,
              "\n  Give the operator a symbolic that passes it on: "
              "opwright.onnx.register_custom_op_symbolic(\"",
              call.node.op().name(), "\", ...).");
}

int64_t plain_int(const Call::State& call, const Argument& argument, const SymInt& size) {
  if (!size.is_symbolic()) return size.word();
  throw_error(
      "NotImplementedError", name_call(call.node), ": argument '", argument.name, "' is ", size,
      ", which changes from run to run, and an attribute is a number",
      "\n  Give the operator a symbolic that takes it as an input, or take it as a tensor.");
}

// A list attribute, by the kind of its elements.
Attribute list_attribute(const Call::State& call, const Argument& argument, const std::string& name,
                         const OpwValue& list) {
  const TypeKind kind = argument.type.required().element().required().kind();
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < list.length; ++i) {
    const OpwValue element = list_element(list, i);
    if (element.tag == kOpwFloat) {
      floats.push_back(ValueOf<double>::read(element));
    } else if (element.tag == kOpwString) {
      texts.emplace_back(ValueOf<std::string_view>::read(element));
    } else if (element.tag == kOpwBool) {
      ints.push_back(ValueOf<bool>::read(element) ? 1 : 0);
    } else if (element.tag == kOpwInt) {
      ints.push_back(element.as_int);
    } else if (element.tag == kOpwSymInt) {
      ints.push_back(plain_int(call, argument, ValueOf<SymInt>::read(element)));
    } else {
      refuse_attribute(call, argument, "cannot be an attribute of an ONNX node");
    }
  }
  if (kind == Type::Float || (kind == Type::Scalar && !floats.empty())) {
    floats.insert(floats.end(), ints.begin(), ints.end());  // for a Scalar[]
    return {name, std::move(floats)};
  }
  if (kind == Type::String) return {name, std::move(texts)};
  return {name, std::move(ints)};
}

std::optional<Attribute> make_attribute(const Call::State& call, uint32_t index,
                                        const std::string& name) {
  const Argument& argument = call.node.op().schema().arguments[index];
  const NodeArgument& given = call.node.args()[index];
  if (given.kind() != NodeArgument::Kind::Constant) {
    const Call as_call(const_cast<Call::State&>(call));
    if (argument.type.required().is_list()) return Attribute(name, as_call.integers(index));
    return Attribute(name, as_call.integer(index));
  }
  const OpwValue& value = given.constant().get();
  switch (value.tag) {
    case kOpwNone:
      return std::nullopt;
    case kOpwInt:
      return Attribute(name, value.as_int);
    case kOpwSymInt:
      return Attribute(name, plain_int(call, argument, ValueOf<SymInt>::read(value)));
    case kOpwBool:
      return Attribute(name, ValueOf<bool>::read(value));
    case kOpwFloat:
      return Attribute(name, ValueOf<double>::read(value));
    case kOpwString:
      return Attribute(name, std::string(ValueOf<std::string_view>::read(value)));
    case kOpwDeviceValue:
      return Attribute(name, concatenate(ValueOf<Device>::read(value)));
    case kOpwDtype:
    case kOpwLayout:
    case kOpwMemoryFormat:
      return Attribute(name, value_text(value));
    default:
      break;
  }
  if (!is_list_tag(value.tag))
    refuse_attribute(call, argument, "cannot be an attribute of an ONNX node");
  return list_attribute(call, argument, name, value);
}

}  // namespace

NodeForm default_form(const Operator& op) {
  const Schema& schema = op.schema();
  NodeForm form;
  form.domain = schema.name.name_space;
  form.name = schema.name.overload.empty()
                  ? schema.name.base
                  : concatenate(schema.name.base, "_", schema.name.overload);
  for (uint32_t i = 0; i < schema.arguments.size(); ++i) {
    if (holds_tensors(schema.arguments[i].type)) {
      form.inputs.push_back(i);
    } else {
      form.attributes.push_back({schema.arguments[i].name, i});
    }
  }
  return form;
}

NodeForm parse_node_form(std::string_view text, const Operator& op) {
  return FormReader(text, op).read();
}
NodeForm parse_node_form(std::string_view text, const std::string& op) {
  return parse_node_form(text, Registry::get().require(op));
}

std::string to_text(const NodeForm& form, const Operator& op) {
  std::string text = concatenate(form.domain, "::", form.name, "(");
  const char* separator = "";
  for (const uint32_t input : form.inputs) {
    text += concatenate(separator, op.schema().arguments[input].name);
    separator = ", ";
  }
  for (const NodeForm::NamedArgument& each : form.attributes) {
    text += concatenate(separator, each.attribute, "=", op.schema().arguments[each.argument].name);
    separator = ", ";
  }
  return text + ")";
}
std::string to_text(const NodeForm& form, const std::string& op) {
  return to_text(form, Registry::get().require(op));
}

OnnxValues add_node(GraphBuilder& g, const Call& call, const NodeForm& form) {
  const Call::State& state = call.state();
  const Schema& schema = state.node.op().schema();
  OnnxValues inputs;
  std::vector<Attribute> attributes;
  for (const uint32_t input : form.inputs) {
    if (!is_tensor_list(schema.arguments[input].type)) {
      inputs.push_back(call.input(input));
      continue;
    }
    const OnnxValues list = call.inputs(input);
    inputs.insert(inputs.end(), list.begin(), list.end());
    // If other inputs follow, records how many belong to it.
    if (input != form.inputs.back())
      attributes.emplace_back(concatenate(schema.arguments[input].name, "_count"),
                              static_cast<int64_t>(list.size()));
  }
  for (const NodeForm::NamedArgument& each : form.attributes) {
    if (auto made = make_attribute(state, each.argument, each.attribute))
      attributes.push_back(std::move(*made));
  }
  return g.op(concatenate(form.domain, "::", form.name), inputs, std::move(attributes),
              call.num_results());
}

std::optional<NodeForm> find_form(const Call& call, const PendingNode& node) {
  const Call::State& state = call.state();
  const Schema& schema = state.node.op().schema();
  NodeForm form{.domain = node.domain, .name = node.type, .inputs = {}, .attributes = {}};
  size_t place = 0;
  while (place < node.inputs.size()) {
    bool is_found = false;
    for (uint32_t i = 0; i < schema.arguments.size() && !is_found; ++i) {
      if (!holds_tensors(schema.arguments[i].type)) continue;
      const OnnxValues given =
          is_tensor_list(schema.arguments[i].type) ? call.inputs(i) : OnnxValues{call.input(i)};
      const auto rest = std::span(node.inputs).subspan(place);
      is_found = std::ranges::find(form.inputs, i) == form.inputs.end() && !given.empty() &&
                 given.size() <= rest.size() && std::ranges::equal(given, rest.first(given.size()));
      if (is_found) {
        form.inputs.push_back(i);
        place += given.size();
      }
    }
    if (!is_found) return std::nullopt;
  }
  for (const Attribute& attribute : node.attributes) {
    std::optional<uint32_t> argument;
    for (uint32_t i = 0; i < schema.arguments.size(); ++i) {
      if (holds_tensors(schema.arguments[i].type)) continue;
      const bool has_its_name = schema.arguments[i].name == attribute.name();
      const NodeArgument& given = state.node.args()[i];
      const bool has_its_value = !argument && given.kind() == NodeArgument::Kind::Constant &&
                                 equal_values(given.constant().get(), attribute.value().get());
      if (has_its_name || has_its_value) argument = i;
      if (has_its_name) break;
    }
    if (argument) form.attributes.push_back({attribute.name(), *argument});
  }
  return form;
}

}  // namespace opwright::onnx
