// Reading a graph whose calls were written under schemas of an earlier day.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "opwright/base/hash.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/schema/schema.h"

namespace opwright {

// By the operators' full names; borrowed.
using WrittenSchemas = std::unordered_map<std::string, const Schema*, StringHash, std::equal_to<>>;

// As parse_graph of graph.h, but a call has the defaults of the schema that it was written under,
// and takes from the operator's own schema only what came later. ValueError for an operator that
// `schemas` does not have. Whoever calls has made sure that the operators still take such calls.
[[nodiscard]] GraphPtr parse_graph(std::string_view text, const WrittenSchemas& schemas);

}  // namespace opwright
