#include "opwright/schema/compatibility.h"

namespace opwright {
namespace {

bool accepts(const Type& new_type, const Type& old_type) {
  return new_type == old_type || (new_type.is_optional() && new_type.element() == old_type);
}

std::optional<std::string> why_argument_differs(const Argument& old_argument,
                                                const Argument& new_argument) {
  const std::string who = concatenate("argument '", old_argument.name, "'");
  if (!accepts(new_argument.type, old_argument.type)) {
    return concatenate(who, " was ", old_argument.type, " and is ", new_argument.type);
  }
  if (old_argument.alias != new_argument.alias) {
    return concatenate(who, " was marked ", to_text(old_argument.type, old_argument.alias),
                       " and is ", to_text(new_argument.type, new_argument.alias));
  }
  if (!old_argument.is_keyword_only && new_argument.is_keyword_only)
    return who + " can be given by keyword only";
  if (!old_argument.default_value) return std::nullopt;
  if (!new_argument.default_value) return who + " has no default any more";
  if (*old_argument.default_value != *new_argument.default_value) {
    return concatenate("the default of ", who, " was ",
                       value_text(old_argument.default_value->get()), " and is ",
                       value_text(new_argument.default_value->get()));
  }
  return std::nullopt;
}

std::optional<std::string> why_returns_differ(const Schema& old_schema, const Schema& new_schema) {
  if (old_schema.returns.size() != new_schema.returns.size()) {
    return concatenate("it returned ", old_schema.returns.size(), " values and returns ",
                       new_schema.returns.size());
  }
  for (size_t i = 0; i < old_schema.returns.size(); ++i) {
    if (old_schema.returns[i] != new_schema.returns[i]) {
      return concatenate("return ", i, " was ", to_text(old_schema.returns[i]), " and is ",
                         to_text(new_schema.returns[i]));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_incompatible(const Schema& old_schema, const Schema& new_schema) {
  if (old_schema.name != new_schema.name) {
    return concatenate("the name was ", old_schema.full_name(), " and is ", new_schema.full_name());
  }
  for (size_t i = 0; i < old_schema.arguments.size(); ++i) {
    const Argument& argument = old_schema.arguments[i];
    const auto index = new_schema.index_of(argument.name);
    if (!index) return concatenate("argument '", argument.name, "' was removed");
    if (!argument.is_keyword_only && *index != i) {
      return concatenate("argument '", argument.name, "' was at position ", i + 1, " and is at ",
                         *index + 1);
    }
    if (auto reason = why_argument_differs(argument, new_schema.arguments[*index])) return reason;
  }
  for (const Argument& argument : new_schema.arguments) {
    if (!argument.default_value && !old_schema.index_of(argument.name)) {
      return concatenate("the new argument '", argument.name, "' has no default");
    }
  }
  return why_returns_differ(old_schema, new_schema);
}

}  // namespace opwright
