#include "opwright/ir/graph/symbol_bindings.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "opwright/error.h"
#include "opwright/ir/graph/input_words.h"
#include "opwright/schema/constant.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/sym_program.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The factor and the constant of an expression that is linear in one symbol.
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
  std::string name = value.node().graph().input_words().name(value);
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

namespace {

class UnboundSymbols {
 public:
  explicit UnboundSymbols(const ShapeEnv& env) : env_(env), scope_(&env) {}

  void add_node(const Node& node) {
    for (const NodeArgument& argument : node.args()) add_argument(argument);
    for (const GraphValue& value : node.values()) (void)scope_.bind(value);
    for (const GraphValue& value : node.values()) {
      for (const ShownNumber& shown : shown_numbers(value.meta())) add(shown.expression);
    }
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  void add(const SymInt& expression) {
    if (!expression.is_symbolic()) return;
    for (std::string& symbol : env_.free_symbols(expression)) {
      if (scope_.is_bound(symbol) || std::ranges::find(found_, symbol) != found_.end()) continue;
      found_.push_back(std::move(symbol));
    }
  }
  void add_value(const OpwValue& value) {
    if (value.tag == kOpwSymInt) add(SymInt::borrow(value.as_int));
    if (value.tag != kOpwSymIntList && value.tag != kOpwList) return;
    for (uint32_t i = 0; i < value.length; ++i) add_value(list_element(value, i));
  }
  void add_argument(const NodeArgument& argument) {
    add_value(argument.constant().get());
    for (const NodeArgument& element : argument.elements()) add_argument(element);
  }

  const ShapeEnv& env_;
  SymbolScope scope_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> unbound_symbols(const Graph& graph) {
  if (!graph.shape_env()) return {};
  UnboundSymbols unbound(*graph.shape_env());
  for (const Node* node = graph.first(); node; node = node->next()) unbound.add_node(*node);
  return unbound.take();
}

}  // namespace opwright
