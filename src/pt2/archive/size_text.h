// Sizes as sympy writes them (srepr):
//   Add(Mul(Integer(2), Symbol('s77', positive=True, integer=True)), Integer(1))
// and as Python prints them (str): 2*s77 + 1
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright::pt2 {

// factor * symbol + offset; without a symbol, a number. Neither exceeds kMostOfSize.
struct LinearSize {
  std::string symbol;
  int64_t factor = 0;
  int64_t offset = 0;

  // For a value of the symbol. OverflowError.
  [[nodiscard]] int64_t at(int64_t value) const;
};
inline constexpr int64_t kMostOfSize = int64_t{1} << 62;

// Of srepr. ValueError with the position for a text of another form; NotImplementedError for an
// expression that is not linear in one symbol, with the text; OverflowError, with the text, for
// numbers above kMostOfSize. `origin` is used in messages.
[[nodiscard]] LinearSize read_linear_size(std::string_view text, std::string_view origin);
// The same of str, where NotImplementedError stands for a text of another form too.
[[nodiscard]] LinearSize read_printed_size(std::string_view text, std::string_view origin);

// Expressions of one environment as such text. A symbol that an equality replaced is written as
// what replaced it.
class SizeText {
 public:
  // `env` may be null: there are no symbols.
  explicit SizeText(const ShapeEnv* env);

  // A size; conditions are relations ("LessThan(...)").
  [[nodiscard]] std::string write(OpwSymWord word) const;
  // What the archive calls a symbol. torch takes names that begin with 'u' or 'z' for sizes known
  // only at run time, and names of sympy's functions for those, so such names get a prefix.
  [[nodiscard]] std::string name_of(const Symbol& symbol) const;
  [[nodiscard]] const Symbol& symbol(std::string_view name) const;
  [[nodiscard]] const std::vector<Symbol>& symbols() const noexcept { return symbols_; }

 private:
  [[nodiscard]] std::string write_symbol(const Symbol& symbol) const;
  [[nodiscard]] std::string write_sum(const Expression& sum) const;

  std::vector<Symbol> symbols_;
};

}  // namespace opwright::pt2
