#include "opwright/dispatch/signature.h"

#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "opwright/base/hash.h"
#include "opwright/dispatch/operator.h"
#include "opwright/schema/opaque_types.h"
#include "opwright/schema/parser.h"

namespace opwright {
namespace {

bool fits(const Type& schema, const Type& function) {
  if (schema.is_optional() && function.is_optional())
    return fits(schema.element(), function.element());
  if (schema.is_optional())
    return function.kind() == TypeKind::Tensor && fits(schema.element(), function);
  if (schema.is_list() && function.is_list()) return fits(schema.element(), function.element());
  if (schema.is_list() || function.is_list() || function.is_optional()) return false;
  const bool both_ints = (schema.kind() == TypeKind::Int || schema.kind() == TypeKind::SymInt) &&
                         (function.kind() == TypeKind::Int || function.kind() == TypeKind::SymInt);
  return both_ints || schema.kind() == function.kind();
}

// The registered object types that the schema names: the function may use them too.
void add_opaque_types(const Type& type, OpaqueTypes& out) {
  if (type.kind() == TypeKind::Opaque) out.add(type.name());
  for (const Type& element : type.elements()) add_opaque_types(element, out);
}

// Many functions share a signature, and each one is parsed once. Never freed: there are only as
// many as distinct signatures.
const Schema& parsed_signature(std::string_view signature, const OpaqueTypes& known) {
  static auto* mutex = new std::mutex;
  static auto* parsed = new std::unordered_map<std::string, Schema, StringHash, std::equal_to<>>;
  const std::lock_guard lock(*mutex);
  auto found = parsed->find(signature);
  if (found == parsed->end()) {
    const std::string text = concatenate("signature::of", signature);
    found = parsed->emplace(signature, parse_schema(text, {}, &known)).first;
  }
  return found->second;  // nodes of the map do not move
}

std::string numbered(size_t number, const char* what) {
  return concatenate(number, " ", what, number == 1 ? "" : "s");
}

}  // namespace

std::optional<std::string> find_difference(const Schema& schema, std::string_view signature) {
  OpaqueTypes known;
  for (const Argument& argument : schema.arguments) add_opaque_types(argument.type, known);
  for (const Return& result : schema.returns) add_opaque_types(result.type, known);
  const Schema& function = parsed_signature(signature, known);
  if (schema.arguments.size() != function.arguments.size()) {
    return concatenate("the schema has ", numbered(schema.arguments.size(), "argument"),
                       ", the function ", function.arguments.size());
  }
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    const Argument& argument = schema.arguments[i];
    if (fits(argument.type, function.arguments[i].type)) continue;
    return concatenate("argument '", argument.name, "' (position ", i + 1, ") is ",
                       to_text(argument.type), " in the schema and ",
                       to_text(function.arguments[i].type), " in C++");
  }
  if (schema.returns.size() != function.returns.size()) {
    return concatenate("the schema has ", numbered(schema.returns.size(), "result"),
                       ", the function ", function.returns.size());
  }
  for (size_t i = 0; i < schema.returns.size(); ++i) {
    if (fits(schema.returns[i].type, function.returns[i].type)) continue;
    return concatenate("result ", i + 1, " is ", to_text(schema.returns[i].type),
                       " in the schema and ", to_text(function.returns[i].type), " in C++");
  }
  return std::nullopt;
}

void check_signature(const Operator& op, Slot slot, const BoxedFunction& function,
                     SourceSite site) {
  const bool has_operators_arguments = is_callable(slot) || stands_in(slot);
  if (!function.signature || !has_operators_arguments) return;
  const auto difference = find_difference(op.schema(), function.signature);
  if (!difference) return;
  throw_error("TypeError", op.name(), ": the function registered for ", slot_name(slot), " at ",
              site, " does not match the schema: ", *difference,
              "\n  schema:   ", to_text(op.schema()), "\n  function: ", function.signature);
}

}  // namespace opwright
