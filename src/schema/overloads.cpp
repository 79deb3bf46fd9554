#include "opwright/schema/overloads.h"

#include <optional>

namespace opwright {
namespace {

// "(Tensor, alpha=str)"
std::string describe_call(std::span<const OpwValue> positional,
                          std::span<const KeywordValue> keywords) {
  std::string text;
  for (const OpwValue& value : positional)
    text.append(text.empty() ? "" : ", ").append(describe_kind(value));
  for (const KeywordValue& keyword : keywords) {
    text.append(text.empty() ? "" : ", ")
        .append(keyword.name)
        .append("=")
        .append(describe_kind(keyword.value));
  }
  return "(" + text + ")";
}

[[noreturn]] void throw_no_overload(std::span<const Schema* const> overloads,
                                    std::span<const OpwValue> positional,
                                    std::span<const KeywordValue> keywords) {
  std::string text = concatenate("no overload of ", overloads[0]->name.packet(), " takes ",
                                 describe_call(positional, keywords));
  for (const Schema* schema : overloads) {
    BoundArguments attempt;
    (void)attempt.try_bind(*schema, positional, keywords);
    text.append("\n  ")
        .append(to_text(*schema))
        .append("\n    ")
        .append(attempt.failure_text(*schema));
  }
  throw Error("TypeError", text);
}

}  // namespace

size_t choose_overload(std::span<const Schema* const> overloads,
                       std::span<const OpwValue> positional,
                       std::span<const KeywordValue> keywords) {
  if (overloads.size() == 1) return 0;  // binding it reports a better error
  std::optional<size_t> coerced;
  for (size_t i = 0; i < overloads.size(); ++i) {
    BoundArguments attempt;
    if (!attempt.try_bind(*overloads[i], positional, keywords)) continue;
    if (attempt.is_exact()) return i;
    if (!coerced) coerced = i;
  }
  if (!coerced) throw_no_overload(overloads, positional, keywords);
  return *coerced;
}

}  // namespace opwright
