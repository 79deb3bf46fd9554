// "Did you mean": the known names that are nearest to one that was not found.
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

// The least number of insertions, removals, replacements and swaps of neighbours that make `b` out
// of `a`; no part is edited twice (optimal string alignment).
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b);

// The candidates near enough to be a misspelling of `name` (upper and lower case are the same; one
// edit for each three characters, at least one), nearest first; at most `most`.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<std::string> closest_names(
    std::string_view name, std::span<const std::string_view> candidates, size_t most = 3);

// As above for any range of strings.
template <class Range>
[[nodiscard]] std::vector<std::string> closest_names(std::string_view name, const Range& candidates,
                                                     size_t most = 3) {
  std::vector<std::string_view> views;
  for (const auto& candidate : candidates) views.emplace_back(candidate);
  return closest_names(name, std::span<const std::string_view>(views), most);
}

// The nearest of them.
template <class Range>
[[nodiscard]] std::optional<std::string> closest(std::string_view name, const Range& candidates) {
  std::vector<std::string> names = closest_names(name, candidates, 1);
  if (names.empty()) return std::nullopt;
  return std::move(names.front());
}

}  // namespace opwright
