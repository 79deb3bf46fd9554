#include "opwright/ir/symbol_bindings.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/symbolic/shape_env.h"
#include "opwright/symbolic/sym_program.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// factor and constant of an expression of one symbol that is linear in it.
std::optional<std::pair<int64_t, int64_t>> solve_linear(const ShapeEnv& env,
                                                        const SymInt& expression,
                                                        const std::string& symbol) {
  const SymInt variable = env.symbol(symbol);
  if (expression.word() == variable.word()) return std::pair<int64_t, int64_t>(1, 0);
  const SymProgram program(std::span(&expression, 1), {symbol});
  int64_t at_zero = 0;
  int64_t at_one = 0;
  try {
    const int64_t zero = 0;
    const int64_t one = 1;
    program.run(std::span(&zero, 1), std::span(&at_zero, 1));
    program.run(std::span(&one, 1), std::span(&at_one, 1));
  } catch (const Error&) {  // a division by the symbol
    return std::nullopt;
  }
  int64_t factor = 0;
  if (__builtin_sub_overflow(at_one, at_zero, &factor) || factor == 0) return std::nullopt;
  if (is_symbolic(factor) || is_symbolic(at_zero)) return std::nullopt;
  const SymInt linear = variable * SymInt(factor) + SymInt(at_zero);
  if (linear.word() != expression.word()) return std::nullopt;
  return std::pair(factor, at_zero);
}

}  // namespace

bool shows_symbols(const Value& meta) noexcept {
  if (meta.tag() == kOpwTensor) return (meta.get().as_tensor->flags & kOpwFlagSymbolic) != 0;
  return meta.tag() == kOpwSymInt && is_symbolic(meta.get().as_int);
}

std::vector<ShownNumber> shown_numbers(const Value& meta) {
  using Part = ShownNumber::Part;
  std::vector<ShownNumber> shown;
  if (meta.tag() == kOpwSymInt) {
    shown.push_back({Part::Number, 0, SymInt::borrow(meta.get().as_int)});
  } else if (meta.tag() == kOpwTensor && meta.get().as_tensor) {
    const SymGeometry geometry = sym_geometry_of(BorrowedTensor(meta.get().as_tensor));
    for (uint32_t i = 0; i < geometry.sizes.size(); ++i) {
      shown.push_back({Part::Size, i, geometry.sizes[i]});
    }
    for (uint32_t i = 0; i < geometry.strides.size(); ++i) {
      shown.push_back({Part::Stride, i, geometry.strides[i]});
    }
    shown.push_back({Part::Offset, 0, geometry.offset});
  }
  return shown;
}

std::string describe(const GraphValue& value, const ShownNumber& shown) {
  const bool is_input = value.node().kind() == NodeKind::Input;
  const std::string name =
      is_input ? concatenate("input '", value.name(), "'") : concatenate("%", value.name());
  switch (shown.part) {
    case ShownNumber::Part::Size:
      return concatenate("dimension ", shown.dim, " of ", name);
    case ShownNumber::Part::Stride:
      return concatenate("stride ", shown.dim, " of ", name);
    case ShownNumber::Part::Offset:
      return concatenate("the storage offset of ", name);
    case ShownNumber::Part::Number:
      break;
  }
  return name;
}

std::vector<SymbolBinding> SymbolScope::bind(const GraphValue& value) {
  std::vector<SymbolBinding> bindings;
  if (!env_ || !shows_symbols(value.meta())) return bindings;
  for (ShownNumber& shown : shown_numbers(value.meta())) {
    if (!shown.expression.is_symbolic() || shape_env_of(shown.expression) != env_) continue;
    const std::vector<std::string> symbols = env_->free_symbols(shown.expression);
    if (symbols.size() != 1 || is_bound(symbols[0])) continue;
    const auto linear = solve_linear(*env_, shown.expression, symbols[0]);
    if (!linear) continue;
    bound_.insert(symbols[0]);
    bindings.push_back({symbols[0], linear->first, linear->second, &value, std::move(shown)});
  }
  return bindings;
}

std::string SymbolScope::find_unbound(const SymInt& expression) const {
  if (!expression.is_symbolic() || !env_) return {};
  for (std::string& symbol : env_->free_symbols(expression)) {
    if (!is_bound(symbol)) return std::move(symbol);
  }
  return {};
}

}  // namespace opwright
