// Where the values of a graph's symbols come from: the sizes, strides, offsets and numbers of its
// inputs and of node results.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/symint.h"

namespace opwright {

// A number that can be read from a value.
struct ShownNumber {
  enum class Part : uint8_t { Size, Stride, Offset, Number };  // Number: the value itself
  Part part = Part::Size;
  uint32_t dim = 0;  // for Size and Stride
  SymInt expression;
};
// Whether metadata contains a symbol.
[[nodiscard]] bool shows_symbols(const Value& meta) noexcept;
// For a tensor its sizes, then its strides and offset; for an int the int itself.
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

// Walks a graph in order, from its inputs, and returns which symbols each value binds.
class SymbolScope {
 public:
  explicit SymbolScope(const ShapeEnv* env) : env_(env) {}

  // Returns the symbols that the value binds, in order, and marks them as bound.
  std::vector<SymbolBinding> bind(const GraphValue& value);
  // The first unbound symbol of an expression; empty if all are bound.
  [[nodiscard]] std::string find_unbound(const SymInt& expression) const;
  [[nodiscard]] bool is_bound(std::string_view symbol) const {
    return bound_.contains(std::string(symbol));
  }

 private:
  const ShapeEnv* env_;  // null: no symbols
  std::unordered_set<std::string> bound_;
};

// The symbols that the graph uses but no value binds, each once.
[[nodiscard]] std::vector<std::string> unbound_symbols(const Graph& graph);

}  // namespace opwright
