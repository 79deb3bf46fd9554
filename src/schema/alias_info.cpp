#include "opwright/schema/alias_info.h"

#include <algorithm>

namespace opwright {
namespace {

bool contains(const std::vector<std::string>& sets, std::string_view set) {
  return std::ranges::find(sets, set) != sets.end();
}

void append_sets(std::string& out, const std::vector<std::string>& sets) {
  for (size_t i = 0; i < sets.size(); ++i) {
    if (i != 0) out.push_back('|');
    out.append(sets[i]);
  }
}

void append_elements(std::string& out, const Type& type, const AliasInfo& alias) {
  out.push_back('(');
  for (size_t i = 0; i < type.elements().size(); ++i) {
    if (i != 0) out.append(", ");
    out.append(to_text(type.elements()[i], alias.element(i)));
  }
  out.push_back(')');
}

}  // namespace

bool AliasInfo::writes() const noexcept {
  return is_write || std::ranges::any_of(elements, &AliasInfo::writes);
}

bool AliasInfo::mentions(std::string_view set) const noexcept {
  if (contains(before, set) || contains(after, set)) return true;
  return std::ranges::any_of(elements, [&](const AliasInfo& inner) { return inner.mentions(set); });
}

const AliasInfo& AliasInfo::element(size_t index) const noexcept {
  static const AliasInfo none;
  return index < elements.size() ? elements[index] : none;
}

std::string to_text(const AliasInfo& alias) {
  if (!alias.is_marked()) return "";
  if (alias.before.empty()) return "!";
  std::string out = "(";
  append_sets(out, alias.before);
  if (alias.is_write) out.push_back('!');
  if (alias.before != alias.after) {
    out.append(" -> ");
    append_sets(out, alias.after);
  }
  out.push_back(')');
  return out;
}

std::string to_text(const Type& type, const AliasInfo& alias) {
  if (type.is_optional()) return to_text(type.element(), alias) + "?";
  std::string out;
  if (type.is_list()) {
    out = to_text(type.element(), alias.element(0));
    out.push_back('[');
    if (type.fixed_length()) out.append(std::to_string(*type.fixed_length()));
    out.push_back(']');
  } else if (!type.name().empty()) {
    out = type.name();
  } else {
    out = kind_word(type.kind());
    if (type.kind() == TypeKind::Tuple || !type.elements().empty())
      append_elements(out, type, alias);
  }
  return out + to_text(alias);
}

}  // namespace opwright
