// Where the values of a graph's symbols come from: the sizes, strides, offsets and numbers of its
// inputs and of the results of its nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/symint.h"

namespace opwright {

// A number that a value shows.
struct ShownNumber {
  enum class Part : uint8_t { Size, Stride, Offset, Number };  // Number: the value itself
  Part part = Part::Size;
  uint32_t dim = 0;  // of Size and Stride
  SymInt expression;
};
// Whether metadata has a symbol in it.
[[nodiscard]] bool shows_symbols(const Value& meta) noexcept;
// The sizes of a tensor, then its strides and offset; an int itself.
[[nodiscard]] std::vector<ShownNumber> shown_numbers(const Value& meta);
// "dimension 0 of input 'x'", "stride 1 of %y", ...
[[nodiscard]] std::string describe(const GraphValue& value, const ShownNumber& shown);

// expression == factor * symbol + constant.
struct SymbolBinding {
  std::string symbol;
  int64_t factor = 1;
  int64_t constant = 0;
  const GraphValue* value = nullptr;
  ShownNumber shown;
};

// Walks a graph from its inputs on and tells what each value binds.
class SymbolScope {
 public:
  explicit SymbolScope(const ShapeEnv* env) : env_(env) {}

  // The symbols that the value binds, in order; they count as bound from here on.
  std::vector<SymbolBinding> bind(const GraphValue& value);
  // The first symbol of an expression that nothing has bound; empty: all are.
  [[nodiscard]] std::string find_unbound(const SymInt& expression) const;
  [[nodiscard]] bool is_bound(std::string_view symbol) const {
    return bound_.contains(std::string(symbol));
  }

 private:
  const ShapeEnv* env_;  // null: no symbols
  std::unordered_set<std::string> bound_;
};

// The symbols that the graph names and that none of its values binds, each once.
[[nodiscard]] std::vector<std::string> unbound_symbols(const Graph& graph);

}  // namespace opwright
