#include "opwright/runtime/bridge.h"

#include <algorithm>
#include <string_view>

#include "opwright/dispatch/registry.h"
#include "opwright/host/binary.h"
#include "opwright/host/host_functions.h"
#include "opwright/schema/parser.h"
#include "opwright/schema/schema.h"

namespace opwright {
namespace {

ValueKind value_kind(const Type& type) {
  switch (type.kind()) {
    case TypeKind::Tensor:
      return ValueKind::Tensor;
    case TypeKind::Int:
      return ValueKind::Int;
    case TypeKind::SymInt:
      return ValueKind::SymInt;
    case TypeKind::Float:
      return ValueKind::Float;
    case TypeKind::Bool:
      return ValueKind::Bool;
    case TypeKind::Complex:
      return ValueKind::Complex;
    case TypeKind::Scalar:
      return ValueKind::Scalar;
    case TypeKind::String:
      return ValueKind::String;
    case TypeKind::ScalarType:
      return ValueKind::DType;
    case TypeKind::Device:
      return ValueKind::Device;
    case TypeKind::Layout:
      return ValueKind::Layout;
    case TypeKind::MemoryFormat:
      return ValueKind::MemoryFormat;
    case TypeKind::Generator:
      return ValueKind::Generator;
    case TypeKind::Any:
      return ValueKind::Any;
    default:
      return ValueKind::Other;
  }
}

ValueType describe_type(const Type& type) {
  ValueType description;
  description.text = to_text(type);
  description.is_optional = type.is_optional();
  const Type& required = type.required();
  description.is_list = required.is_list();
  if (description.is_list) {
    description.has_optional_elements = required.element().is_optional();
    description.kind = value_kind(required.element().required());
  } else {
    description.kind = value_kind(required);
  }
  return description;
}

// Whether both name the same alias set, other than the wildcard.
bool share_a_set(const AliasInfo& result, const AliasInfo& argument) {
  const auto is_shared = [&](const std::string& set) {
    return set != kAliasWildcard && argument.mentions(set);
  };
  return std::any_of(result.before.begin(), result.before.end(), is_shared) ||
         std::any_of(result.elements.begin(), result.elements.end(),
                     [&](const AliasInfo& element) { return share_a_set(element, argument); });
}

template <class Claim>
int32_t find_argument(const Schema& schema, Claim claim) {
  const auto found = std::find_if(schema.arguments.begin(), schema.arguments.end(), claim);
  return found == schema.arguments.end() ? -1
                                         : static_cast<int32_t>(found - schema.arguments.begin());
}

ResultDescription describe_result(const Schema& schema, const Return& result) {
  ResultDescription description{.name = result.name, .type = describe_type(result.type)};
  if (result.is_written()) {
    description.written_argument = find_argument(schema, [&](const Argument& argument) {
      return argument.is_written() && argument.alias == result.alias;
    });
  } else {
    description.viewed_argument = find_argument(schema, [&](const Argument& argument) {
      return share_a_set(result.alias, argument.alias);
    });
  }
  return description;
}

ArgumentDescription describe_argument(const Argument& argument) {
  return {.name = argument.name,
          .type = describe_type(argument.type),
          .is_written = argument.is_written(),
          .is_keyword_only = argument.is_keyword_only,
          .default_value = argument.default_value ? &argument.default_value->get() : nullptr};
}

OperatorDescription describe_schema(const Schema& schema) {
  OperatorDescription description{.name = schema.name.text(),
                                  .name_space = schema.name.name_space,
                                  .base = schema.name.base,
                                  .overload = schema.name.overload,
                                  .schema = to_text(schema),
                                  .tags = {},
                                  .arguments = {},
                                  .results = {},
                                  .site = {},
                                  .library = {}};
  for (const Argument& each : schema.arguments)
    description.arguments.push_back(describe_argument(each));
  for (const Return& each : schema.returns)
    description.results.push_back(describe_result(schema, each));
  return description;
}

std::string defined_name(const BlockDefinition& definition) {
  OperatorName name = Registry::get().parse(definition.schema).name;
  if (name.name_space.empty()) name.name_space = definition.name_space;
  return name.text();
}

std::vector<BinaryImport> list_imports(const OpwBinary& binary) {
  std::vector<BinaryImport> imports(binary.num_imports);
  for (const OpwImport* each = binary.imports; each; each = each->next)
    imports[each->index] = {each->name, each->signature()};
  return imports;
}

// Moves the functions out of `contents`, whose destructor would drop them.
std::vector<BinaryFunction> take_functions(BlockContents& contents) {
  std::vector<BinaryFunction> functions;
  for (const BlockFunction& each : contents.functions) {
    functions.push_back({.name = each.name,
                         .slot = slot_name(parse_slot(each.slot)),
                         .function = each.function.function,
                         .self = each.function.self,
                         .drop = each.function.drop,
                         .site = each.site.text()});
  }
  for (BlockFunction& each : contents.functions) each.function.drop = nullptr;
  return functions;
}

}  // namespace

OperatorDescription describe_operator(const std::string& name) {
  if (const HostFunction* function = find_host_function(name))
    return describe_schema(parse_schema(function->schema));
  const Operator& op = Registry::get().require(name);
  OperatorDescription description = describe_schema(op.schema());
  description.tags = op.tags();
  description.site = op.site().text();
  description.library = op.origin();
  return description;
}

BinaryContents collect_library(const std::string& path, const OpwHost& host) {
  BinaryContents found{
      .path = absolute_path(path), .operators = {}, .functions = {}, .imports = {}};
  const OpwBinary& binary = open_binary(found.path);
  BlockContents contents = collect_binary(binary, host);
  for (const BlockDefinition& each : contents.definitions)
    found.operators.push_back(defined_name(each));
  found.imports = list_imports(binary);
  found.functions = take_functions(contents);
  return found;
}

}  // namespace opwright
