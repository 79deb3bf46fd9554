#include "opwright/pt2/archive/symbol_ranges.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "opwright/error.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/archive/size_text.h"

namespace opwright::pt2 {
namespace {

// Towards minus infinity; `divisor` is positive.
int64_t floor_div(int64_t number, int64_t divisor) {
  return number / divisor - (number % divisor < 0 ? 1 : 0);
}
int64_t ceil_div(int64_t number, int64_t divisor) {
  return number / divisor + (number % divisor > 0 ? 1 : 0);
}

// A bound less the offset of a size; at the end of the 64 bits, the bound is none.
std::optional<int64_t> shifted(const std::optional<int64_t>& bound, int64_t offset) {
  int64_t rest = 0;
  if (!bound || __builtin_sub_overflow(*bound, offset, &rest)) return std::nullopt;
  return rest;
}

void drop_assumed_least(WrittenRange& range) {
  if (range.least && *range.least < kLeastOfAnExport) range.least.reset();
}

// The values of the symbol for which the size is in `range`.
WrittenRange range_of_symbol(const LinearSize& size, const WrittenRange& range) {
  WrittenRange symbol = {.least = shifted(range.least, size.offset),
                         .greatest = shifted(range.greatest, size.offset)};
  if (symbol.least) symbol.least = ceil_div(*symbol.least, size.factor);
  if (symbol.greatest) symbol.greatest = floor_div(*symbol.greatest, size.factor);
  drop_assumed_least(symbol);
  return symbol;
}

void intersect(WrittenRange& known, const WrittenRange& other) {
  if (other.least) known.least = std::max(known.least.value_or(*other.least), *other.least);
  if (other.greatest)
    known.greatest = std::min(known.greatest.value_or(*other.greatest), *other.greatest);
}

}  // namespace

SymbolRanges find_symbol_ranges(const SymbolRanges& stated, const std::string& origin) {
  SymbolRanges found;
  for (const auto& [expression, given] : stated) {
    WrittenRange range = given;
    drop_assumed_least(range);
    if (!range.least && !range.greatest) continue;
    const std::string where = origin + ", range_constraints";
    const LinearSize size = read_printed_size(expression, where);
    if (size.symbol.empty()) continue;
    OPWRIGHT_CHECK_KIND("NotImplementedError", size.factor > 0, where, ": the range of '",
                        expression, "' is not supported; a symbol must have a positive factor");
    WrittenRange& known = found[size.symbol];
    intersect(known, range_of_symbol(size, range));
    OPWRIGHT_CHECK_VALUE(!known.least || !known.greatest || *known.least <= *known.greatest, where,
                         ": no value of '", size.symbol, "' is in all ranges that are stated; '",
                         expression, "' is the last of them");
  }
  return found;
}

}  // namespace opwright::pt2
