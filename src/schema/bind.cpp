#include "opwright/schema/bind.h"

#include "opwright/base/suggest.h"

namespace opwright {
namespace {

std::string count_text(size_t count, std::string_view what) {
  return concatenate(count, " ", what, count == 1 ? "" : "s");
}

// "argument 'limit' (position 2)"
std::string argument_text(const Schema& schema, size_t index) {
  const Argument& argument = schema.arguments[index];
  if (argument.is_keyword_only) return concatenate("argument '", argument.name, "'");
  return concatenate("argument '", argument.name, "' (position ", index + 1, ")");
}

std::string too_many_text(const Schema& schema, size_t given) {
  const size_t most = schema.num_positional();
  const std::string were = given == 1 ? " was given" : " were given";
  if (most == schema.arguments.size()) {
    return concatenate("takes ", count_text(most, "argument"), " but ", given, were);
  }
  return concatenate("takes ", count_text(most, "positional argument"), " but ", given, were, "; '",
                     schema.arguments[most].name, "' must be given by keyword");
}

std::string unexpected_text(const Schema& schema, std::string_view keyword) {
  std::vector<std::string> names;
  for (const Argument& argument : schema.arguments) names.push_back(argument.name);
  const auto nearest = closest(keyword, names);
  return concatenate("got an unexpected keyword argument '", keyword, "'",
                     nearest ? concatenate("; did you mean '", *nearest, "'?") : "");
}

std::string mismatch_text(const Schema& schema, size_t index, const Mismatch& mismatch) {
  const Type& type = schema.arguments[index].type;
  const std::string who = argument_text(schema, index);
  if (mismatch.reason == Mismatch::Reason::Value) return concatenate(who, ": ", mismatch.text);
  if (mismatch.reason == Mismatch::Reason::Length && !mismatch.element) {
    return concatenate(who, " must be ", type, ", got a list of ", mismatch.got.length);
  }
  const std::string kind = describe_kind(mismatch.got);
  if (mismatch.element)
    return concatenate(who, " must be ", type, ", but element ", *mismatch.element, " is ", kind);
  const bool wants_number =
      type.required().kind() != TypeKind::Tensor && !type.required().is_list();
  const bool is_tensor_for_number = wants_number && mismatch.got.tag == kOpwTensor;
  return concatenate(who, " must be ", type, ", got ", kind,
                     is_tensor_for_number ? "; its item() is the number that it holds" : "");
}

}  // namespace

std::string describe_kind(const OpwValue& value) {
  if (value.tag == kOpwObject && value.as_object) return value.as_object->table->type_name;
  if (value.tag == kOpwSymInt && !is_symbolic(value.as_int)) return "int";
  return tag_name(value.tag);
}

BoundArguments::BoundArguments(const Schema& schema, std::span<const OpwValue> positional,
                               std::span<const KeywordValue> keywords) {
  if (bind(schema, positional, keywords)) [[likely]]
    return;
  const bool is_about_argument = failure_.reason == Failure::Reason::Mismatch;
  const bool is_about_value =
      is_about_argument && failure_.mismatch.reason == Mismatch::Reason::Value;
  throw_error(is_about_value ? "ValueError" : "TypeError", schema.full_name(),
              is_about_argument ? "(): " : "() ", failure_text(schema),
              "\n  schema: ", to_text(schema));
}

bool BoundArguments::try_bind(const Schema& schema, std::span<const OpwValue> positional,
                              std::span<const KeywordValue> keywords) {
  is_attempt_ = true;
  return bind(schema, positional, keywords);
}

bool BoundArguments::bind(const Schema& schema, std::span<const OpwValue> positional,
                          std::span<const KeywordValue> keywords) {
  Given given(schema.arguments.size(), nullptr);
  if (!collect(schema, positional, keywords, given) || !fill(schema, given)) return false;
  for (size_t i = schema.num_positional(); schema.is_vararg && i < positional.size(); ++i)
    values_.push_back(positional[i]);
  return true;
}

bool BoundArguments::refuse(Failure::Reason reason, size_t number, std::string_view keyword) {
  failure_.reason = reason;
  failure_.number = number;
  failure_.keyword = keyword;
  return false;
}

// Finds the value passed for each argument.
bool BoundArguments::collect(const Schema& schema, std::span<const OpwValue> positional,
                             std::span<const KeywordValue> keywords, Given& given) {
  const size_t most = schema.num_positional();
  if (positional.size() > most && !schema.is_vararg)
    return refuse(Failure::Reason::TooMany, positional.size());
  for (size_t i = 0; i < std::min(most, positional.size()); ++i) given[i] = &positional[i];
  for (const KeywordValue& keyword : keywords) {
    const auto index = schema.index_of(keyword.name);
    if (!index) return refuse(Failure::Reason::Unexpected, 0, keyword.name);
    if (given[*index]) return refuse(Failure::Reason::Multiple, *index);
    given[*index] = &keyword.value;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i] && !schema.arguments[i].default_value) return refuse(Failure::Reason::Missing, i);
  }
  return true;
}

bool BoundArguments::fill(const Schema& schema, const Given& given) {
  values_.resize(given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    const Argument& argument = schema.arguments[i];
    if (!given[i]) {
      values_[i] = argument.default_value->get();
      continue;
    }
    if (argument.type.kind() == TypeKind::Tensor && given[i]->tag == kOpwTensor) [[likely]] {
      values_[i] = *given[i];
      continue;
    }
    Coercion coercion(memory_, argument.default_value, is_attempt_);
    const Fit fit = coercion.run(argument.type, *given[i], values_[i]);
    if (fit == Fit::No) {
      failure_.mismatch = coercion.mismatch();
      return refuse(Failure::Reason::Mismatch, i);
    }
    is_exact_ = is_exact_ && fit == Fit::Exact;
  }
  return true;
}

std::string BoundArguments::failure_text(const Schema& schema) const {
  switch (failure_.reason) {
    case Failure::Reason::TooMany:
      return too_many_text(schema, failure_.number);
    case Failure::Reason::Unexpected:
      return unexpected_text(schema, failure_.keyword);
    case Failure::Reason::Multiple:
      return concatenate("got multiple values for argument '",
                         schema.arguments[failure_.number].name, "'");
    case Failure::Reason::Missing:
      return concatenate("missing ", argument_text(schema, failure_.number));
    case Failure::Reason::Mismatch:
      return mismatch_text(schema, failure_.number, failure_.mismatch);
    default:
      return "";
  }
}

}  // namespace opwright
