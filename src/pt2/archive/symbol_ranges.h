// The ranges of an archive's symbols, from what it states of expressions of them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "opwright/pt2/archive/archive_graph.h"

namespace opwright::pt2 {

// While torch exports, it takes every size for 2 or more. It states 0 or 1 even so, which a program
// may need to narrow.
inline constexpr int64_t kLeastOfAnExport = 2;

using SymbolRanges = std::map<std::string, WrittenRange, std::less<>>;

// `stated` is by the texts of expressions ("s77", "4*s77", "s77 + 1"). A symbol gets the values
// that all its expressions allow; a least value below kLeastOfAnExport limits nothing.
// NotImplementedError for the range of an expression that is not linear in one symbol; ValueError
// if no value is left. `origin` is used in messages.
[[nodiscard]] SymbolRanges find_symbol_ranges(const SymbolRanges& stated,
                                              const std::string& origin);

}  // namespace opwright::pt2
