#include "opwright/pt2/archive/archive_graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
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
#include "opwright/pt2/container/json.h"
#include "opwright/pt2/container/json_reader.h"
#include "opwright/tensor/device/device_table.h"

namespace opwright::pt2 {
namespace {

constexpr int64_t kMajorVersion = 8;
constexpr int64_t kNewestMinor = 20;  // of torch 2.13; newer ones add members

// The numbers of torch/_export/serde/schema.py; they differ from those of torch.
struct NumberedDType {
  int64_t number;
  DType dtype;
};
constexpr auto kWrittenDTypes = std::to_array<NumberedDType>({
    {1, DType::UInt8},
    {2, DType::Int8},
    {3, DType::Int16},
    {4, DType::Int32},
    {5, DType::Int64},
    {6, DType::Float16},
    {7, DType::Float32},
    {8, DType::Float64},
    {10, DType::Complex64},
    {11, DType::Complex128},
    {12, DType::Bool},
    {13, DType::BFloat16},
    {28, DType::UInt16},
    {29, DType::Float8E4M3FN},
    {30, DType::Float8E5M2},
    {34, DType::UInt32},
    {35, DType::UInt64},
});
constexpr int64_t kStridedLayout = 7;
constexpr int64_t kOpsetVersion = 10;                  // of aten, in torch 2.9 to 2.13
constexpr std::string_view kWriter = "2.13.0";         // the torch that has this schema
constexpr std::string_view kAsked = "opwright_asked";  // in the metadata of a node
constexpr int64_t kPositional = 1;
constexpr int64_t kKeyword = 2;
constexpr std::array kMemoryFormats = {MemoryFormat::Contiguous, MemoryFormat::ChannelsLast,
                                       MemoryFormat::ChannelsLast3d, MemoryFormat::Preserve};

// ---- Writing JSON ----

JsonValue text(std::string_view text) { return JsonValue(std::string(text)); }

struct Member {
  std::string_view name;
  mutable JsonValue value;  // an initializer list is const, but its values are moved out
};
JsonValue object(std::initializer_list<Member> members) {
  std::vector<JsonValue> parts;
  parts.reserve(2 * members.size());
  for (const Member& member : members) {
    parts.push_back(text(member.name));
    parts.push_back(std::move(member.value));
  }
  return JsonValue::object(std::move(parts));
}

template <class Range, class Write>
JsonValue write_list(const Range& range, const Write& write) {
  std::vector<JsonValue> elements;
  elements.reserve(range.size());
  for (const auto& element : range) elements.push_back(write(element));
  return JsonValue::array(std::move(elements));
}

template <class Map, class Write>
JsonValue write_map(const Map& map, const Write& write) {
  std::vector<JsonValue> parts;
  parts.reserve(2 * map.size());
  for (const auto& [name, value] : map) {
    parts.push_back(text(name));
    parts.push_back(write(value));
  }
  return JsonValue::object(std::move(parts));
}

// JSON has no number for these; JsonReader::as_float reads the same words.
JsonValue write_float(double number) {
  if (std::isfinite(number)) return JsonValue(number);
  if (std::isnan(number)) return text("NaN");
  return text(number > 0 ? "Infinity" : "-Infinity");
}

// ---- Types and sizes ----

DType read_dtype(const JsonReader& json) {
  const int64_t number = json.as_int();
  for (const NumberedDType& known : kWrittenDTypes) {
    if (known.number == number) return known.dtype;
  }
  json.fail(concatenate("the dtype number ", number, " is not supported"));
}

JsonValue write_dtype(DType dtype) {
  for (const NumberedDType& known : kWrittenDTypes) {
    if (known.dtype == dtype) return JsonValue(known.number);
  }
  throw_error("NotImplementedError", "save: PyTorch's archives have no tensors of ", dtype);
}

Layout read_layout(const JsonReader& json) {
  if (json.as_int() != kStridedLayout)
    json.fail(concatenate("only strided tensors are supported, got layout ", json.as_int()));
  return Layout::Strided;
}

MemoryFormat read_memory_format(const JsonReader& json) {
  const int64_t number = json.as_int();
  if (number < 1 || number > static_cast<int64_t>(kMemoryFormats.size()))
    json.fail(concatenate("the memory format number ", number, " is not known"));
  return kMemoryFormats[static_cast<size_t>(number - 1)];
}
JsonValue write_memory_format(MemoryFormat format) {
  const auto* found = std::ranges::find(kMemoryFormats, format);
  return JsonValue(int64_t{1} + (found - kMemoryFormats.begin()));
}

Device read_device(const JsonReader& json) {
  Device device = parse_device(json.member("type").as_string());
  if (json.has("index")) {
    const int64_t index = json.member("index").as_int();
    if (index < 0 || index > INT16_MAX) json.fail(concatenate("no device has the index ", index));
    if (!has_one_device(device.type)) device.index = static_cast<int32_t>(index);
  }
  return device;
}

JsonValue write_device(Device device) {
  const char* name = find_device_name(device.type);
  OPWRIGHT_CHECK_VALUE(name, "save: the device ", device, " has no name");
  const bool has_index = device.index >= 0 && !has_one_device(device.type);
  return object({{"type", text(name)},
                 {"index", has_index ? JsonValue(int64_t{device.index}) : JsonValue()}});
}

WrittenSize read_size(const JsonReader& json) {
  const JsonReader content = json.content();
  if (json.tag() == "as_int") return {.number = content.as_int(), .expression = {}};
  if (json.tag() != "as_expr") json.fail(concatenate("a size cannot be '", json.tag(), "'"));
  WrittenSize size{.expression = content.member("expr_str").as_string()};
  if (size.expression.empty()) json.fail("the expression of a size is empty");
  size.has_hint = content.has("hint");
  if (size.has_hint) {
    const JsonReader hint = content.member("hint");
    size.has_hint = hint.tag() == "as_int";
    if (size.has_hint) size.number = hint.content().as_int();
  }
  return size;
}

JsonValue write_condition(const WrittenSize& size) {
  JsonValue hint = size.has_hint ? object({{"as_int", JsonValue(size.number)}}) : JsonValue();
  return object(
      {{"as_expr", object({{"expr_str", text(size.expression)}, {"hint", std::move(hint)}})}});
}
JsonValue write_size(const WrittenSize& size) {
  if (size.expression.empty()) return object({{"as_int", JsonValue(size.number)}});
  return write_condition(size);
}

WrittenTensor read_tensor(const JsonReader& json) {
  (void)read_layout(json.member("layout"));
  WrittenTensor tensor{.dtype = read_dtype(json.member("dtype")),
                       .sizes = json.member("sizes").list(read_size),
                       .strides = json.member("strides").list(read_size),
                       .offset = read_size(json.member("storage_offset")),
                       .device = read_device(json.member("device")),
                       .requires_grad = json.member("requires_grad").as_bool()};
  if (tensor.sizes.size() != tensor.strides.size())
    json.fail(concatenate("a tensor has ", tensor.sizes.size(), " sizes and ",
                          tensor.strides.size(), " strides"));
  return tensor;
}

JsonValue write_tensor(const WrittenTensor& tensor) {
  return object({{"dtype", write_dtype(tensor.dtype)},
                 {"sizes", write_list(tensor.sizes, write_size)},
                 {"requires_grad", JsonValue(tensor.requires_grad)},
                 {"device", write_device(tensor.device)},
                 {"strides", write_list(tensor.strides, write_size)},
                 {"storage_offset", write_size(tensor.offset)},
                 {"layout", JsonValue(kStridedLayout)}});
}

// ---- Arguments ----

using SubGraph = std::shared_ptr<const ArchiveGraph>;
SubGraph read_subgraph(const JsonReader& json);
JsonValue write_subgraph(const SubGraph& graph);

Element read_name(const JsonReader& json) { return ValueName{json.member("name").as_string()}; }

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
Written write_name(const Element& element) {
  const auto* name = std::get_if<ValueName>(&element);
  if (!name || name->kind != NamedKind::Tensor) return std::nullopt;
  return object({{"name", text(name->name)}});
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
  if (name && name->kind == kKind) return object({{"as_name", text(name->name)}});
  constexpr std::string_view kTag = kKind == NamedKind::Int     ? "as_int"
                                    : kKind == NamedKind::Float ? "as_float"
                                                                : "as_bool";
  const T* value = std::get_if<T>(&element);
  if (!value) return std::nullopt;
  if constexpr (std::is_same_v<T, double>) return object({{kTag, write_float(*value)}});
  return object({{kTag, JsonValue(*value)}});
}
Written write_optional_tensor(const Element& element) {
  if (const Written none = write_none(element)) return object({{"as_none", *none}});
  if (const Written name = write_name(element)) return object({{"as_tensor", *name}});
  return std::nullopt;
}
JsonValue write_complex(const ComplexNumber& number) {
  return object({{"real", write_float(number.real)}, {"imag", write_float(number.imag)}});
}
JsonValue write_strided(Layout /*layout*/) { return JsonValue(kStridedLayout); }
Written write_nothing(const Element& /*element*/) { return std::nullopt; }

struct Form {
  std::string_view tag;
  bool is_list;
  Element (*read)(const JsonReader&);
  Written (*write)(const Element&);
};
constexpr auto kWriteFloat = &write_as<double, &write_float>;
// Of the union Argument. An argument is written in the first form that has all of its elements.
constexpr auto kForms = std::to_array<Form>({
    {"as_none", false, [](const JsonReader&) -> Element { return std::monostate(); }, &write_none},
    {"as_tensor", false, &read_name, &write_name},
    {"as_tensors", true, &read_name, &write_name},
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
     &write_as<Layout, &write_strided>},
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

JsonValue write_argument(const WrittenArgument& argument) {
  for (const Form& form : kForms) {
    if (form.is_list != argument.is_list) continue;
    if (Written content = write_content(argument, form))
      return object({{form.tag, std::move(*content)}});
  }
  throw_error("NotImplementedError", "PyTorch's archives have no form for the value of ",
              argument.name.empty() ? "an input or output" : "'" + argument.name + "'");
}

WrittenArgument read_named_argument(const JsonReader& json) {
  WrittenArgument argument = read_argument(json.member("arg"));
  argument.name = json.member("name").as_string();
  return argument;
}
JsonValue write_named_argument(const WrittenArgument& argument) {
  return object({{"name", text(argument.name)},
                 {"arg", write_argument(argument)},
                 {"kind", JsonValue(argument.is_keyword ? kKeyword : kPositional)}});
}

// ---- Graphs ----

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
  return object({{"target", text(node.target)},
                 {"inputs", write_list(node.inputs, write_named_argument)},
                 {"outputs", write_list(node.outputs, write_argument)},
                 {"metadata", write_map(metadata, text)},
                 {"is_hop_single_tensor_return", has_graph ? JsonValue(false) : JsonValue()},
                 {"name", node.name.empty() ? JsonValue() : text(node.name)}});
}

template <class Read>
auto read_map(const JsonReader& json, const Read& read) {
  std::map<std::string, decltype(read(json)), std::less<>> map;
  for (size_t i = 0; i < json.member_count(); ++i) {
    map.emplace(json.member_name(i), read(json.member_at(i)));
  }
  return map;
}

ArchiveGraph read_graph(const JsonReader& json) {
  return {.inputs = json.member("inputs").list(read_argument),
          .outputs = json.member("outputs").list(read_argument),
          .nodes = json.member("nodes").list(read_node),
          .tensors = read_map(json.member("tensor_values"), read_tensor),
          .ints = read_map(json.member("sym_int_values"), read_size)};
}

JsonValue write_graph(const ArchiveGraph& graph) {
  return object({{"inputs", write_list(graph.inputs, write_argument)},
                 {"outputs", write_list(graph.outputs, write_argument)},
                 {"nodes", write_list(graph.nodes, write_node)},
                 {"tensor_values", write_map(graph.tensors, write_tensor)},
                 {"sym_int_values", write_map(graph.ints, write_size)},
                 {"sym_bool_values", write_map(graph.bools, write_condition)},
                 {"is_single_tensor_return", JsonValue(false)},
                 {"custom_obj_values", object({})},
                 {"sym_float_values", object({})}});
}

// As deep as the JSON text may be nested.
SubGraph read_subgraph(const JsonReader& json) {
  return std::make_shared<const ArchiveGraph>(read_graph(json.member("graph")));
}
JsonValue write_subgraph(const SubGraph& graph) {
  return object({{"name", text(graph->name)}, {"graph", write_graph(*graph)}});
}

// ---- The signature ----

[[noreturn]] void refuse(const JsonReader& json, std::string_view what) {
  throw_error("NotImplementedError", json.path(), ": ", what, " is not supported");
}

Element read_constant(const JsonReader& json) {
  const JsonReader content = json.content();
  if (json.tag() == "as_none") return std::monostate();
  if (json.tag() == "as_float") return content.as_float();
  return read_plain(content);
}

struct BoundInput {
  std::string_view tag;
  ArchiveInputKind kind;
  std::string_view target;
};
constexpr auto kBoundInputs = std::to_array<BoundInput>({
    {"parameter", ArchiveInputKind::Parameter, "parameter_name"},
    {"buffer", ArchiveInputKind::Buffer, "buffer_name"},
    {"tensor_constant", ArchiveInputKind::TensorConstant, "tensor_constant_name"},
});

ArchiveInput read_input(const JsonReader& json) {
  const std::string& tag = json.tag();
  const JsonReader spec = json.content();
  if (tag == "user_input") {
    WrittenArgument argument = read_argument(spec.member("arg"));
    if (argument.is_list) json.fail("an input of the program cannot be a list");
    return {.kind = ArchiveInputKind::User, .value = std::move(argument.elements[0]), .target = {}};
  }
  if (tag == "custom_obj") {
    refuse(json, concatenate("the script object '", spec.member("custom_obj_name").as_string(),
                             "', whose state is pickled,"));
  }
  if (tag == "constant_input") {
    return {.kind = ArchiveInputKind::Constant,
            .value = read_constant(spec.member("value")),
            .target = spec.member("name").as_string()};
  }
  for (const BoundInput& bound : kBoundInputs) {
    if (tag != bound.tag) continue;
    ArchiveInput input{.kind = bound.kind,
                       .value = read_name(spec.member("arg")),
                       .target = spec.member(bound.target).as_string()};
    if (bound.kind == ArchiveInputKind::Buffer)
      input.is_persistent = spec.member("persistent").as_bool();
    return input;
  }
  refuse(json, concatenate("an input of kind '", tag, "'"));
}

JsonValue write_input(const ArchiveInput& input) {
  const WrittenArgument value = single_argument(input.value, input.target);
  if (input.kind == ArchiveInputKind::User)
    return object({{"user_input", object({{"arg", write_argument(value)}})}});
  if (input.kind == ArchiveInputKind::Constant) {
    return object({{"constant_input",
                    object({{"name", text(input.target)}, {"value", write_argument(value)}})}});
  }
  const BoundInput& bound = *std::ranges::find(kBoundInputs, input.kind, &BoundInput::kind);
  std::vector<JsonValue> parts = {text("arg"), *write_name(input.value), text(bound.target),
                                  text(input.target)};
  if (input.kind == ArchiveInputKind::Buffer) {
    parts.push_back(text("persistent"));
    parts.emplace_back(input.is_persistent);
  }
  return object({{bound.tag, JsonValue::object(std::move(parts))}});
}

struct OutputForm {
  std::string_view tag;
  ArchiveOutputKind kind;
  std::string_view target;
};
constexpr auto kOutputForms = std::to_array<OutputForm>({
    {"user_output", ArchiveOutputKind::User, ""},
    {"buffer_mutation", ArchiveOutputKind::BufferMutation, "buffer_name"},
    {"parameter_mutation", ArchiveOutputKind::ParameterMutation, "parameter_name"},
    {"user_input_mutation", ArchiveOutputKind::InputMutation, "user_input_name"},
});

ArchiveOutput read_output(const JsonReader& json) {
  const JsonReader spec = json.content();
  for (const OutputForm& known : kOutputForms) {
    if (json.tag() != known.tag) continue;
    const JsonReader arg = spec.member("arg");
    ArchiveOutput output{.kind = known.kind, .value = {}, .target = {}};
    if (known.kind == ArchiveOutputKind::User) {
      output.value = read_argument(arg);
    } else {
      output.value.elements.push_back(read_name(arg));
      output.target = spec.member(known.target).as_string();
    }
    return output;
  }
  refuse(json, concatenate("an output of kind '", json.tag(), "'"));
}

JsonValue write_output(const ArchiveOutput& output) {
  const OutputForm& form = *std::ranges::find(kOutputForms, output.kind, &OutputForm::kind);
  if (output.kind == ArchiveOutputKind::User)
    return object({{form.tag, object({{"arg", write_argument(output.value)}})}});
  return object({{form.tag, object({{"arg", write_name(output.value.elements.at(0)).value()},
                                    {form.target, text(output.target)}})}});
}

WrittenRange read_range(const JsonReader& json) {
  WrittenRange range;
  if (json.has("min_val")) range.least = json.member("min_val").as_int();
  if (json.has("max_val")) range.greatest = json.member("max_val").as_int();
  return range;
}

JsonValue write_range(const WrittenRange& range) {
  const auto bound = [](std::optional<int64_t> value) {
    return value ? JsonValue(*value) : JsonValue();
  };
  return object({{"min_val", bound(range.least)}, {"max_val", bound(range.greatest)}});
}

void check_version(const JsonReader& json) {
  const JsonReader version = json.member("schema_version");
  const int64_t major = version.member("major").as_int();
  if (major == kMajorVersion) return;
  throw_error("NotImplementedError", json.path(), ": the archive has schema version ", major, ".",
              version.member("minor").as_int(), ", supported is ", kMajorVersion,
              " (newest known: ", kMajorVersion, ".", kNewestMinor,
              "); export the program again with torch 2.9 to 2.13");
}

// The call of the root module; archives without it have flat inputs and outputs.
void read_call(const JsonReader& modules, ArchiveProgram& program) {
  for (size_t i = 0; i < modules.size(); ++i) {
    const JsonReader entry = modules[i];
    if (!entry.member("fqn").as_string().empty() || !entry.has("signature")) continue;
    const JsonReader signature = entry.member("signature");
    program.arguments = signature.member("in_spec").as_string();
    program.results = signature.member("out_spec").as_string();
    if (!signature.has("forward_arg_names")) continue;
    program.argument_names = signature.member("forward_arg_names").list([](const JsonReader& name) {
      return name.as_string();
    });
  }
}

JsonValue write_call(const ArchiveProgram& program) {
  return object(
      {{"fqn", text("")},
       {"signature", object({{"inputs", JsonValue::array({})},
                             {"outputs", JsonValue::array({})},
                             {"in_spec", text(program.arguments)},
                             {"out_spec", text(program.results)},
                             {"forward_arg_names", write_list(program.argument_names, text)}})}});
}

}  // namespace

ArchiveProgram read_archive_program(const JsonValue& json, const std::string& origin) {
  const JsonReader root(json, origin);
  check_version(root);
  const JsonReader module = root.member("graph_module");
  const JsonReader signature = module.member("signature");
  ArchiveProgram program{.graph = read_graph(module.member("graph")),
                         .inputs = signature.member("input_specs").list(read_input),
                         .outputs = signature.member("output_specs").list(read_output),
                         .ranges = read_map(root.member("range_constraints"), read_range),
                         .arguments = {},
                         .results = {},
                         .argument_names = {},
                         .namedtuple_fields = {}};
  read_call(module.member("module_call_graph"), program);
  if (module.has("treespec_namedtuple_fields")) {
    program.namedtuple_fields =
        read_map(module.member("treespec_namedtuple_fields"), [](const JsonReader& fields) {
          return fields.member("field_names").list([](const JsonReader& name) {
            return name.as_string();
          });
        });
  }
  return program;
}

JsonValue write_archive_program(const ArchiveProgram& program) {
  JsonValue signature = object({{"input_specs", write_list(program.inputs, write_input)},
                                {"output_specs", write_list(program.outputs, write_output)}});
  JsonValue module = object({{"graph", write_graph(program.graph)},
                             {"signature", std::move(signature)},
                             {"module_call_graph", JsonValue::array({write_call(program)})},
                             {"metadata", object({})},
                             {"treespec_namedtuple_fields", object({})}});
  JsonValue version =
      object({{"major", JsonValue(kMajorVersion)}, {"minor", JsonValue(kNewestMinor)}});
  return object({{"graph_module", std::move(module)},
                 {"opset_version", object({{"aten", JsonValue(kOpsetVersion)}})},
                 {"range_constraints", write_map(program.ranges, write_range)},
                 {"schema_version", std::move(version)},
                 {"verifiers", JsonValue::array({text(program.has_writes ? "TRAINING" : "ATEN")})},
                 {"torch_version", text(kWriter)},
                 {"guards_code", JsonValue::array({})}});
}

std::vector<WrittenPayload> read_payloads(const JsonValue& json, const std::string& origin) {
  const JsonReader root(json, origin);
  const JsonReader config = root.member("config");
  std::vector<WrittenPayload> payloads;
  payloads.reserve(config.member_count());
  for (size_t i = 0; i < config.member_count(); ++i) {
    const JsonReader payload = config.member_at(i);
    if (payload.member("use_pickle").as_bool()) {
      throw_error("NotImplementedError", payload.path(), ": '", config.member_name(i),
                  "' is pickled (a tensor subclass or an object of Python), and pickles are never "
                  "read; export the model with plain tensors");
    }
    payloads.push_back({.name = config.member_name(i),
                        .path = payload.member("path_name").as_string(),
                        .tensor = read_tensor(payload.member("tensor_meta")),
                        .is_parameter = payload.member("is_param").as_bool()});
  }
  return payloads;
}

JsonValue write_payloads(const std::vector<WrittenPayload>& payloads) {
  std::vector<JsonValue> parts;
  for (const WrittenPayload& payload : payloads) {
    parts.push_back(text(payload.name));
    parts.push_back(object({{"path_name", text(payload.path)},
                            {"is_param", JsonValue(payload.is_parameter)},
                            {"use_pickle", JsonValue(false)},
                            {"tensor_meta", write_tensor(payload.tensor)}}));
  }
  return object({{"config", JsonValue::object(std::move(parts))}});
}

}  // namespace opwright::pt2
