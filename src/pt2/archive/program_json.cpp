#include "opwright/pt2/archive/program_json.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "opwright/error.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/archive/graph_json.h"
#include "opwright/pt2/archive/tensor_json.h"
#include "opwright/pt2/container/json.h"
#include "opwright/pt2/container/json_reader.h"
#include "opwright/pt2/container/json_writer.h"

namespace opwright::pt2 {
namespace {

constexpr int64_t kMajorVersion = 8;
constexpr int64_t kNewestMinor = 20;            // of torch 2.13; newer ones add members
constexpr int64_t kOpsetVersion = 10;           // of aten, in torch 2.9 to 2.13
constexpr std::string_view kWriter = "2.13.0";  // the torch that has this schema

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
    return json_object({{"user_input", json_object({{"arg", write_argument(value)}})}});
  if (input.kind == ArchiveInputKind::Constant) {
    return json_object({{"constant_input", json_object({{"name", json_string(input.target)},
                                                        {"value", write_argument(value)}})}});
  }
  const BoundInput& bound = *std::ranges::find(kBoundInputs, input.kind, &BoundInput::kind);
  std::vector<JsonValue> parts = {json_string("arg"), write_name(std::get<ValueName>(input.value)),
                                  json_string(bound.target), json_string(input.target)};
  if (input.kind == ArchiveInputKind::Buffer) {
    parts.push_back(json_string("persistent"));
    parts.emplace_back(input.is_persistent);
  }
  return json_object({{bound.tag, JsonValue::object(std::move(parts))}});
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
    return json_object({{form.tag, json_object({{"arg", write_argument(output.value)}})}});
  return json_object(
      {{form.tag,
        json_object({{"arg", write_name(std::get<ValueName>(output.value.elements.at(0)))},
                     {form.target, json_string(output.target)}})}});
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
  return json_object({{"min_val", bound(range.least)}, {"max_val", bound(range.greatest)}});
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

// The call of the root module, which torch.export.save always writes.
void read_call(const JsonReader& modules, ArchiveProgram& program) {
  for (size_t i = 0; i < modules.size(); ++i) {
    const JsonReader entry = modules[i];
    if (!entry.member("fqn").as_string().empty() || !entry.has("signature")) continue;
    const JsonReader signature = entry.member("signature");
    program.arguments = signature.member("in_spec").as_string();
    program.results = signature.member("out_spec").as_string();
    if (!signature.has("forward_arg_names")) return;
    program.argument_names = signature.member("forward_arg_names").list([](const JsonReader& name) {
      return name.as_string();
    });
    return;
  }
  modules.fail(
      "the signature of the root module is missing, which has the structure of the call; save the "
      "program with torch.export.save");
}

JsonValue write_call(const ArchiveProgram& program) {
  return json_object(
      {{"fqn", json_string("")},
       {"signature",
        json_object({{"inputs", JsonValue::array({})},
                     {"outputs", JsonValue::array({})},
                     {"in_spec", json_string(program.arguments)},
                     {"out_spec", json_string(program.results)},
                     {"forward_arg_names", json_list(program.argument_names, json_string)}})}});
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
                         .ranges = root.member("range_constraints").map(read_range),
                         .arguments = {},
                         .results = {},
                         .argument_names = {},
                         .namedtuple_fields = {}};
  read_call(module.member("module_call_graph"), program);
  if (module.has("treespec_namedtuple_fields")) {
    program.namedtuple_fields =
        module.member("treespec_namedtuple_fields").map([](const JsonReader& fields) {
          return fields.member("field_names").list([](const JsonReader& name) {
            return name.as_string();
          });
        });
  }
  return program;
}

JsonValue write_archive_program(const ArchiveProgram& program) {
  JsonValue signature = json_object({{"input_specs", json_list(program.inputs, write_input)},
                                     {"output_specs", json_list(program.outputs, write_output)}});
  JsonValue module = json_object({{"graph", write_graph(program.graph)},
                                  {"signature", std::move(signature)},
                                  {"module_call_graph", JsonValue::array({write_call(program)})},
                                  {"metadata", json_object({})},
                                  {"treespec_namedtuple_fields", json_object({})}});
  JsonValue version =
      json_object({{"major", JsonValue(kMajorVersion)}, {"minor", JsonValue(kNewestMinor)}});
  return json_object(
      {{"graph_module", std::move(module)},
       {"opset_version", json_object({{"aten", JsonValue(kOpsetVersion)}})},
       {"range_constraints", json_map(program.ranges, write_range)},
       {"schema_version", std::move(version)},
       {"verifiers", JsonValue::array({json_string(program.has_writes ? "TRAINING" : "ATEN")})},
       {"torch_version", json_string(kWriter)},
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
    parts.push_back(json_string(payload.name));
    parts.push_back(json_object({{"path_name", json_string(payload.path)},
                                 {"is_param", JsonValue(payload.is_parameter)},
                                 {"use_pickle", JsonValue(false)},
                                 {"tensor_meta", write_tensor(payload.tensor)}}));
  }
  return json_object({{"config", JsonValue::object(std::move(parts))}});
}

}  // namespace opwright::pt2
