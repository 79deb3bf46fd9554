// Edit distance, and the choice of names that are close enough.
#include "opwright/base/suggest.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace opwright {
namespace {

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the table for the first i - 2, i - 1 and i characters of `a`.
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::vector<std::string> closest_names(std::string_view name,
                                       std::span<const std::string_view> candidates, size_t most) {
  struct Found {
    size_t distance;
    size_t index;
  };
  const std::string wanted = in_lower_case(name);
  const size_t farthest = std::max<size_t>(1, wanted.size() / 3);
  std::vector<Found> found;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const std::string_view candidate = candidates[i];
    const size_t distance = edit_distance(wanted, in_lower_case(candidate));
    // A name that shares nothing with the wanted one is not a suggestion.
    if (distance <= farthest && distance < std::max(wanted.size(), candidate.size()))
      found.push_back({distance, i});
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(a.distance, a.index) < std::tie(b.distance, b.index);
  });
  std::vector<std::string> names;
  for (const Found& one : found) {
    if (names.size() == most) break;
    names.emplace_back(candidates[one.index]);
  }
  return names;
}

}  // namespace opwright
