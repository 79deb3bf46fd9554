#include "opwright/dispatch/tag_rules.h"

#include <algorithm>

#include "opwright/error.h"

namespace opwright {
namespace {

bool is_one_tensor(const Type& type) { return type.kind() == TypeKind::Tensor; }

// Whether the result is in the same alias sets as the argument, or in some of them.
bool is_alias_of(const Return& result, const Argument& argument) {
  return !result.alias.before.empty() && result.alias.before == argument.alias.before;
}

template <class... Parts>
void require_tag(bool holds, const Schema& schema, const char* tag, const Parts&... what) {
  if (holds) return;
  throw_error("ValueError", schema.full_name(), ": an operator tagged ", tag, " ", what...,
              "\n  schema: ", to_text(schema));
}

void check_inplace(const Schema& schema) {
  const auto require = [&](bool holds, const auto&... what) {
    require_tag(holds, schema, "inplace", what...);
  };
  require(schema.num_positional() > 0, "must have at least one positional argument");
  const Argument& first = schema.arguments.front();
  require(first.is_written(), "needs its first positional argument to be mutable, but '",
          first.name, "' is not marked as written, e.g. Tensor(a!)");
  require(is_one_tensor(first.type), "needs its first positional argument to be a Tensor, but '",
          first.name, "' is ", first.type);
  require(schema.returns.size() == 1, "must return exactly one value, '", first.name, "'");
  const Return& result = schema.returns.front();
  require(is_one_tensor(result.type), "must return a Tensor: the return must be a Tensor, not ",
          result.type);
  require(is_alias_of(result, first), "must return the first mutable argument: the return must ",
          "alias '", first.name, "'");
  require(result.is_written(), "marks what it returns as written: the return must be a mutable ",
          "alias, e.g. Tensor(a!)");
  const auto num_written = std::ranges::count_if(
      schema.arguments, [](const Argument& each) { return each.is_written(); });
  require(num_written == 1, "must only mutate the first positional argument, '", first.name, "'");
}

void check_out(const Schema& schema) {
  const auto require = [&](bool holds, const auto&... what) {
    require_tag(holds, schema, "out", what...);
  };
  std::vector<const Argument*> written;
  for (const Argument& each : schema.arguments) {
    if (!each.is_written()) continue;
    require(each.is_keyword_only, "must have keyword-only mutable arguments, but '", each.name,
            "' is positional");
    require(is_one_tensor(each.type), "only supports Tensor mutable arguments, but '", each.name,
            "' is ", each.type);
    written.push_back(&each);
  }
  require(!written.empty(), "must have at least one mutable argument");
  require(schema.returns.size() == written.size(),
          "must return all mutable arguments in order: it writes ", written.size(), " and returns ",
          schema.returns.size());
  for (size_t i = 0; i < written.size(); ++i) {
    const Return& result = schema.returns[i];
    require(is_alias_of(result, *written[i]), "returns what it writes: result ", i + 1,
            " must alias mutable argument '", written[i]->name, "'");
    require(result.is_written(), "marks what it returns as written: result ", i + 1,
            " must be a mutable alias, e.g. Tensor(a!)");
  }
}

}  // namespace

void check_tags(const Schema& schema, Tags tags) {
  OPWRIGHT_CHECK_VALUE(!(tags.has(Tag::Inplace) && tags.has(Tag::Out)), schema.full_name(),
                       ": an operator is tagged inplace or out, not both");
  if (tags.has(Tag::Inplace)) check_inplace(schema);
  if (tags.has(Tag::Out)) check_out(schema);
}

}  // namespace opwright
