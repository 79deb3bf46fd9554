// Parses a graph whose calls were written under earlier schemas.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "opwright/base/hash.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/schema/schema.h"

namespace opwright {

// Keyed by the operators' full names; borrowed.
using WrittenSchemas = std::unordered_map<std::string, const Schema*, StringHash, std::equal_to<>>;

// Like parse_graph of graph.h, but a call uses the defaults of the schema under which it was
// written; only later arguments come from the operator's current schema. ValueError for an operator
// that is not in `schemas`. The caller must have checked that the operators still accept such
// calls.
[[nodiscard]] GraphPtr parse_graph(std::string_view text, const WrittenSchemas& schemas);

}  // namespace opwright
