// "Did you mean": the known names closest to one that was not found.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/visibility.h"

namespace opwright {

// The smallest number of insertions, deletions, replacements and swaps of neighbours that turn `a`
// into `b`; no part is edited twice (optimal string alignment).
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b);

// The candidates close enough to be a misspelling of `name` (ignoring case; one edit for every
// three characters, at least one), closest first; at most `most`.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<std::string> closest_names(
    std::string_view name, std::span<const std::string_view> candidates, size_t most = 3);

// The same, for any range of strings.
template <class Range>
[[nodiscard]] std::vector<std::string> closest_names(std::string_view name, const Range& candidates,
                                                     size_t most = 3) {
  std::vector<std::string_view> views;
  for (const auto& candidate : candidates) views.emplace_back(candidate);
  return closest_names(name, std::span<const std::string_view>(views), most);
}

// The closest one.
template <class Range>
[[nodiscard]] std::optional<std::string> closest(std::string_view name, const Range& candidates) {
  std::vector<std::string> names = closest_names(name, candidates, 1);
  if (names.empty()) return std::nullopt;
  return std::move(names.front());
}

}  // namespace opwright
