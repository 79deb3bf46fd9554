#include "command/named_files.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/program_api/call_spec.h"

namespace opwright::command {
namespace {

std::string list_names(std::span<const ValueSpec> specs) {
  std::string names;
  for (const ValueSpec& spec : specs) names.append(names.empty() ? "" : ", ").append(spec.name);
  return names;
}

[[noreturn]] void refuse_name(const std::string& what, const std::string& name,
                              std::span<const ValueSpec> specs) {
  throw_error("ValueError", "the program has no ", what, " '", name, "'; it has ",
              specs.empty() ? "none" : list_names(specs));
}

// Either quote matches the other, since shells make it hard to write one of them.
bool begins_with_name(std::string_view given, std::string_view name) {
  if (given.size() <= name.size() || given[name.size()] != '=') return false;
  return std::ranges::equal(given.substr(0, name.size()), name, [](char a, char b) {
    return (a == '\'' ? '"' : a) == (b == '\'' ? '"' : b);
  });
}

std::optional<size_t> find_name(const std::string& given, std::span<const ValueSpec> specs) {
  std::optional<size_t> found;
  for (size_t i = 0; i < specs.size(); ++i) {
    const std::string& name = specs[i].name;
    const bool fits = begins_with_name(given, name);
    if (fits && (!found || name.size() > specs[*found].name.size())) found = i;
  }
  return found;
}

class Matcher {
 public:
  Matcher(const std::string& what, std::span<const ValueSpec> specs)
      : what_(what), specs_(specs), is_named_(specs.size()) {}

  // nullopt if it has no name.
  std::optional<NamedText> match_name(const std::string& given) {
    const std::optional<size_t> place = find_name(given, specs_);
    if (!place) {
      const size_t equals = given.find('=');
      if (equals != std::string::npos) refuse_name(what_, given.substr(0, equals), specs_);
      return std::nullopt;
    }
    const std::string& name = specs_[*place].name;
    if (is_named_[*place]) throw_error("ValueError", what_, " '", name, "' is given twice");
    is_named_[*place] = true;
    return NamedText{*place, given.substr(name.size() + 1)};
  }
  NamedText match_next(const std::string& given) {
    const auto next = std::ranges::find(is_named_, false);
    if (next == is_named_.end())
      throw_error("ValueError", "the program has ", specs_.size(), " ", what_,
                  specs_.size() == 1 ? "" : "s", ", there is none for ", given);
    *next = true;
    return {static_cast<size_t>(next - is_named_.begin()), given};
  }

 private:
  const std::string& what_;
  std::span<const ValueSpec> specs_;
  std::vector<bool> is_named_;
};

}  // namespace

std::vector<NamedText> match_names(const std::string& what, std::span<const std::string> given,
                                   std::span<const ValueSpec> specs) {
  Matcher matcher(what, specs);
  std::vector<NamedText> matched;
  std::vector<std::string> nameless;
  for (const std::string& each : given) {
    if (std::optional<NamedText> named = matcher.match_name(each)) {
      matched.push_back(std::move(*named));
    } else {
      nameless.push_back(each);
    }
  }
  for (const std::string& each : nameless) matched.push_back(matcher.match_next(each));
  return matched;
}

}  // namespace opwright::command
