#include "opwright/schema/schema.h"

#include <algorithm>

#include "opwright/base/suggest.h"

namespace opwright {
namespace {

// Writes `int[2] stride=1` rather than [1, 1]: the parser repeats a single element for a list of
// fixed length.
std::string default_text(const Argument& argument) {
  const OpwValue& value = argument.default_value->get();
  const bool may_repeat = is_list_tag(value.tag) && value.tag != kOpwList && value.length > 1;
  if (!may_repeat || argument.fixed_length() != value.length) return value_text(value);
  const OpwValue first = list_element(value, 0);
  for (uint32_t i = 1; i < value.length; ++i) {
    if (!equal_values(first, list_element(value, i))) return value_text(value);
  }
  return value_text(first);
}

std::string named(std::string type, const std::string& name) {
  return name.empty() ? std::move(type) : std::move(type.append(" ").append(name));
}

std::string returns_text(const Schema& schema) {
  std::string list;
  for (const Return& result : schema.returns)
    list.append(list.empty() ? "" : ", ").append(to_text(result));
  if (schema.is_varret) list.append(list.empty() ? "..." : ", ...");
  const bool is_bare =
      schema.returns.size() + (schema.is_varret ? 1 : 0) == 1 &&
      (schema.is_varret || !list.starts_with('('));  // a single tuple needs the parentheses
  return is_bare ? list : "(" + list + ")";
}

}  // namespace

std::string OperatorName::packet() const {
  return name_space.empty() ? base : name_space + "::" + base;
}

std::string OperatorName::text() const {
  return overload.empty() ? packet() : packet() + "." + overload;
}

const Argument& Schema::argument(std::string_view argument_name) const {
  if (const auto index = index_of(argument_name)) return arguments[*index];
  std::vector<std::string> names;
  for (const Argument& one : arguments) names.push_back(one.name);
  const auto nearest = closest(argument_name, names);
  throw_error("ValueError", full_name(), " has no argument '", argument_name, "'",
              nearest ? "; did you mean '" + *nearest + "'?" : "", "\n  schema: ", to_text(*this));
}

std::optional<size_t> Schema::index_of(std::string_view argument_name) const noexcept {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name == argument_name) return i;
  }
  return std::nullopt;
}

size_t Schema::num_positional() const noexcept {
  size_t count = 0;
  while (count < arguments.size() && !arguments[count].is_keyword_only) ++count;
  return count;
}

bool Schema::is_mutable() const noexcept {
  return std::ranges::any_of(arguments, &Argument::is_written);
}

std::string to_text(const Argument& argument) {
  std::string text = named(to_text(argument.type, argument.alias), argument.name);
  if (argument.default_value) text.append("=").append(default_text(argument));
  return text;
}

std::string to_text(const Return& result) {
  return named(to_text(result.type, result.alias), result.name);
}

std::string to_text(const Schema& schema) {
  std::string text = schema.full_name() + "(";
  auto separate = [&, is_first = true]() mutable {
    if (!is_first) text.append(", ");
    is_first = false;
  };
  bool after_star = false;
  for (const Argument& argument : schema.arguments) {
    separate();
    if (argument.is_keyword_only && !after_star) text.append("*, ");
    after_star = argument.is_keyword_only;
    text.append(to_text(argument));
  }
  if (schema.is_vararg) {
    separate();
    text.append("...");
  }
  return text.append(") -> ").append(returns_text(schema));
}

}  // namespace opwright
