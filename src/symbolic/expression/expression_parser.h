// Parses the text of expressions.
#pragma once

#include <string_view>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/canonical.h"

namespace opwright {

// Finds symbols by name; null if there is none.
class SymbolFinder {
 public:
  virtual ~SymbolFinder() = default;
  [[nodiscard]] virtual const Expression* find(std::string_view name) const = 0;
};

// Whether the grammar uses a word, so that no symbol can have it as a name.
[[nodiscard]] bool is_taken_by_the_grammar(std::string_view word) noexcept;

// Parses text as append_expression() writes it, in Python's grammar of ints: sums, products, //, %,
// min, max, one comparison, and, or, not. Throws ValueError with the position underlined.
[[nodiscard]] OpwSymWord parse_expression(std::string_view text, const Canonical& canonical,
                                          const SymbolFinder& symbols);

}  // namespace opwright
