#include "opwright/pt2/archive/graph_json.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/memory_format.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/archive/tensor_json.h"
#include "opwright/pt2/container/json.h"
#include "opwright/pt2/container/json_reader.h"
#include "opwright/pt2/container/json_writer.h"

namespace opwright::pt2 {
namespace {

constexpr std::string_view kAsked = "opwright_asked";  // in the metadata of a node
constexpr int64_t kPositional = 1;
constexpr int64_t kKeyword = 2;

// ---- Elements ----

using SubGraph = std::shared_ptr<const ArchiveGraph>;
// As deep as the JSON text may be nested.
SubGraph read_subgraph(const JsonReader& json) {
  return std::make_shared<const ArchiveGraph>(read_graph(json.member("graph")));
}
JsonValue write_subgraph(const SubGraph& graph) {
  return json_object({{"name", json_string(graph->name)}, {"graph", write_graph(*graph)}});
}

Element read_int(const JsonReader& json) { return json.as_int(); }
Element read_float(const JsonReader& json) { return json.as_float(); }
Element read_bool(const JsonReader& json) { return json.as_bool(); }
Element read_string(const JsonReader& json) { return json.as_string(); }
// SymIntArgument and its kin: the name of a value, or a number.
template <NamedKind kKind>
Element read_sym(const JsonReader& json) {
  const JsonReader content = json.content();
  if (json.tag() == "as_name") return ValueName{.name = content.as_string(), .kind = kKind};
  if (json.tag() == "as_float") return content.as_float();
  return read_plain(content);
}
Element read_optional_tensor(const JsonReader& json) {
  const JsonReader content = json.content();
  if (json.tag() == "as_none") return std::monostate();
  return read_name(content);
}
Element read_complex(const JsonReader& json) {
  return ComplexNumber{json.member("real").as_float(), json.member("imag").as_float()};
}

// What a form can write; nullopt for another element.
using Written = std::optional<JsonValue>;

Written write_none(const Element& element) {
  return std::holds_alternative<std::monostate>(element) ? Written(JsonValue(true)) : std::nullopt;
}
Written write_tensor_name(const Element& element) {
  const auto* name = std::get_if<ValueName>(&element);
  return name && name->kind == NamedKind::Tensor ? Written(write_name(*name)) : std::nullopt;
}
template <class T>
Written write_plain(const Element& element) {
  const T* value = std::get_if<T>(&element);
  return value ? Written(JsonValue(*value)) : std::nullopt;
}
template <class T, JsonValue (*kWrite)(T)>
Written write_as(const Element& element) {
  const auto* value = std::get_if<std::decay_t<T>>(&element);
  return value ? Written(kWrite(*value)) : std::nullopt;
}
template <NamedKind kKind, class T>
Written write_sym(const Element& element) {
  const auto* name = std::get_if<ValueName>(&element);
  if (name && name->kind == kKind) return json_object({{"as_name", json_string(name->name)}});
  constexpr std::string_view kTag = kKind == NamedKind::Int     ? "as_int"
                                    : kKind == NamedKind::Float ? "as_float"
                                                                : "as_bool";
  const T* value = std::get_if<T>(&element);
  if (!value) return std::nullopt;
  if constexpr (std::is_same_v<T, double>) return json_object({{kTag, json_float(*value)}});
  return json_object({{kTag, JsonValue(*value)}});
}
Written write_optional_tensor(const Element& element) {
  if (const Written none = write_none(element)) return json_object({{"as_none", *none}});
  if (const Written name = write_tensor_name(element)) return json_object({{"as_tensor", *name}});
  return std::nullopt;
}
JsonValue write_complex(const ComplexNumber& number) {
  return json_object({{"real", json_float(number.real)}, {"imag", json_float(number.imag)}});
}
Written write_nothing(const Element& /*element*/) { return std::nullopt; }

struct Form {
  std::string_view tag;
  bool is_list;
  Element (*read)(const JsonReader&);
  Written (*write)(const Element&);
};
constexpr auto kWriteFloat = &write_as<double, &json_float>;
// Of the union Argument. An argument is written in the first form that has all of its elements.
constexpr auto kForms = std::to_array<Form>({
    {"as_none", false, [](const JsonReader&) -> Element { return std::monostate(); }, &write_none},
    {"as_tensor", false, &read_name, &write_tensor_name},
    {"as_tensors", true, &read_name, &write_tensor_name},
    {"as_int", false, &read_int, &write_plain<int64_t>},
    {"as_ints", true, &read_int, &write_plain<int64_t>},
    {"as_float", false, &read_float, kWriteFloat},
    {"as_floats", true, &read_float, kWriteFloat},
    {"as_string", false, &read_string, &write_plain<std::string>},
    {"as_strings", true, &read_string, &write_plain<std::string>},
    {"as_sym_int", false, &read_sym<NamedKind::Int>, &write_sym<NamedKind::Int, int64_t>},
    {"as_sym_ints", true, &read_sym<NamedKind::Int>, &write_sym<NamedKind::Int, int64_t>},
    {"as_scalar_type", false, [](const JsonReader& json) -> Element { return read_dtype(json); },
     &write_as<DType, &write_dtype>},
    {"as_memory_format", false,
     [](const JsonReader& json) -> Element { return read_memory_format(json); },
     &write_as<MemoryFormat, &write_memory_format>},
    {"as_layout", false, [](const JsonReader& json) -> Element { return read_layout(json); },
     &write_as<Layout, &write_layout>},
    {"as_device", false, [](const JsonReader& json) -> Element { return read_device(json); },
     &write_as<Device, &write_device>},
    {"as_bool", false, &read_bool, &write_plain<bool>},
    {"as_bools", true, &read_bool, &write_plain<bool>},
    {"as_sym_bool", false, &read_sym<NamedKind::Bool>, &write_sym<NamedKind::Bool, bool>},
    {"as_sym_bools", true, &read_sym<NamedKind::Bool>, &write_sym<NamedKind::Bool, bool>},
    {"as_optional_tensors", true, &read_optional_tensor, &write_optional_tensor},
    {"as_graph", false, [](const JsonReader& json) -> Element { return read_subgraph(json); },
     &write_as<const SubGraph&, &write_subgraph>},
    {"as_operator", false,
     [](const JsonReader& json) -> Element { return OperatorName{json.as_string()}; },
     &write_nothing},
    {"as_sym_float", false, &read_sym<NamedKind::Float>, &write_sym<NamedKind::Float, double>},
    {"as_sym_floats", true, &read_sym<NamedKind::Float>, &write_sym<NamedKind::Float, double>},
    {"as_optional_tensor", false, &read_optional_tensor, &write_nothing},
    {"as_complex", false, &read_complex, &write_as<const ComplexNumber&, &write_complex>},
});

// The content of an argument in a form; nullopt if the form does not have all elements.
Written write_content(const WrittenArgument& argument, const Form& form) {
  if (!form.is_list) return form.write(argument.elements.at(0));
  std::vector<JsonValue> contents;
  for (const Element& element : argument.elements) {
    Written content = form.write(element);
    if (!content) return std::nullopt;
    contents.push_back(std::move(*content));
  }
  return JsonValue::array(std::move(contents));
}

// ---- Nodes ----

WrittenArgument read_named_argument(const JsonReader& json) {
  WrittenArgument argument = read_argument(json.member("arg"));
  argument.name = json.member("name").as_string();
  return argument;
}
JsonValue write_named_argument(const WrittenArgument& argument) {
  return json_object({{"name", json_string(argument.name)},
                      {"arg", write_argument(argument)},
                      {"kind", JsonValue(argument.is_keyword ? kKeyword : kPositional)}});
}
ArchiveNode read_node(const JsonReader& json) {
  ArchiveNode node{.target = json.member("target").as_string(),
                   .name = {},
                   .inputs = json.member("inputs").list(read_named_argument),
                   .outputs = json.member("outputs").list(read_argument),
                   .stack_trace = {}};
  if (json.has("name")) node.name = json.member("name").as_string();
  const JsonReader metadata = json.member("metadata");
  if (metadata.has("stack_trace")) node.stack_trace = metadata.member("stack_trace").as_string();
  if (metadata.has(kAsked)) node.asked = metadata.member(kAsked).as_string();
  return node;
}
JsonValue write_node(const ArchiveNode& node) {
  std::map<std::string_view, std::string> metadata;
  if (!node.stack_trace.empty()) metadata.emplace("stack_trace", node.stack_trace);
  if (!node.asked.empty()) metadata.emplace(kAsked, node.asked);
  // Sub-graphs return lists.
  const bool has_graph = node.target.starts_with(kHigherOrder);
  return json_object({{"target", json_string(node.target)},
                      {"inputs", json_list(node.inputs, write_named_argument)},
                      {"outputs", json_list(node.outputs, write_argument)},
                      {"metadata", json_map(metadata, json_string)},
                      {"is_hop_single_tensor_return", has_graph ? JsonValue(false) : JsonValue()},
                      {"name", node.name.empty() ? JsonValue() : json_string(node.name)}});
}

}  // namespace

Element read_name(const JsonReader& json) { return ValueName{json.member("name").as_string()}; }

JsonValue write_name(const ValueName& name) {
  return json_object({{"name", json_string(name.name)}});
}

Element read_plain(const JsonReader& json) {
  switch (json.value().kind()) {
    case JsonKind::Bool:
      return json.as_bool();
    case JsonKind::Int:
      return json.as_int();
    case JsonKind::Float:
      return json.as_float();
    default:
      return json.as_string();
  }
}

WrittenArgument read_argument(const JsonReader& json) {
  WrittenArgument argument;
  const JsonReader content = json.content();
  for (const Form& form : kForms) {
    if (form.tag != json.tag()) continue;
    argument.is_list = form.is_list;
    if (form.is_list) {
      argument.elements = content.list(form.read);
    } else {
      argument.elements.push_back(form.read(content));
    }
    return argument;
  }
  argument.elements.emplace_back(UnknownArgument{json.tag()});
  return argument;
}

JsonValue write_argument(const WrittenArgument& argument) {
  for (const Form& form : kForms) {
    if (form.is_list != argument.is_list) continue;
    if (Written content = write_content(argument, form))
      return json_object({{form.tag, std::move(*content)}});
  }
  throw_error("NotImplementedError", "PyTorch's archives have no form for the value of ",
              argument.name.empty() ? "an input or output" : "'" + argument.name + "'");
}

ArchiveGraph read_graph(const JsonReader& json) {
  return {.inputs = json.member("inputs").list(read_argument),
          .outputs = json.member("outputs").list(read_argument),
          .nodes = json.member("nodes").list(read_node),
          .tensors = json.member("tensor_values").map(read_tensor),
          .ints = json.member("sym_int_values").map(read_size)};
}

JsonValue write_graph(const ArchiveGraph& graph) {
  return json_object({{"inputs", json_list(graph.inputs, write_argument)},
                      {"outputs", json_list(graph.outputs, write_argument)},
                      {"nodes", json_list(graph.nodes, write_node)},
                      {"tensor_values", json_map(graph.tensors, write_tensor)},
                      {"sym_int_values", json_map(graph.ints, write_size)},
                      {"sym_bool_values", json_map(graph.bools, write_condition)},
                      {"is_single_tensor_return", JsonValue(!graph.returns_tuple)},
                      {"custom_obj_values", json_object({})},
                      {"sym_float_values", json_object({})}});
}

}  // namespace opwright::pt2
