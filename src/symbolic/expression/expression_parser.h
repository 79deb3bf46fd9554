// Reads the text of expressions.
#pragma once

#include <string_view>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/canonical.h"

namespace opwright {

// Finds symbols by name; null where there is none.
class SymbolFinder {
 public:
  virtual ~SymbolFinder() = default;
  [[nodiscard]] virtual const Expression* find(std::string_view name) const = 0;
};

// Whether expressions use a word otherwise, so that no symbol has it for a name.
[[nodiscard]] bool is_taken_by_the_grammar(std::string_view word) noexcept;

// The word of a text such as append_expression() writes, in Python's grammar of ints: sums,
// products,
// //, %, min, max, one comparison, and, or, not. ValueError with the place underlined.
[[nodiscard]] OpwSymWord parse_expression(std::string_view text, const Canonical& canonical,
                                          const SymbolFinder& symbols);

}  // namespace opwright
