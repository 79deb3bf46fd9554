// Nodes of an archive that compute sizes: a graph of ours has expressions of symbols as arguments,
// one of PyTorch's has calls of sym_size and of Python's operators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/archive/size_text.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright::pt2 {

// Names of an archive's graphs; each is given once.
class ValueNames {
 public:
  explicit ValueNames(const Graph& graph);  // has those of its values
  // `wanted`, with a number if it is taken.
  [[nodiscard]] std::string make(std::string_view wanted);

 private:
  std::unordered_set<std::string> taken_;
};

class SizeNodes {
 public:
  // All outlive it.
  SizeNodes(const ShapeEnv* env, const SizeText& text, ValueNames& names)
      : env_(env), text_(text), names_(names), scope_(env) {}

  // Call it for each value in order: later sizes may need its symbols. Returns whether it has any
  // that are new.
  bool bind(const GraphValue& value);
  // Whether a symbol is read from the value.
  [[nodiscard]] bool binds(const GraphValue& value) const;
  [[nodiscard]] bool has_symbols_of(const SymInt& expression) const {
    return !env_ || scope_.find_unbound(expression).empty();
  }

  // The number that a size is for all calls, as far as the environment states it.
  [[nodiscard]] std::optional<int64_t> stated_number(const SymInt& size) const;
  // The value of a size, or of a condition, as an argument. Appends the nodes that compute it.
  [[nodiscard]] Element element(const SymInt& size, ArchiveGraph& graph);
  // As an archive states it of a value.
  [[nodiscard]] WrittenSize written(const SymInt& size) const;

  // The names of the sizes that were computed so far. Those of a sub-graph end with it.
  using Known = std::unordered_map<OpwSymWord, std::string>;
  [[nodiscard]] const Known& known() const noexcept { return known_; }
  void restore(Known known) { known_ = std::move(known); }

 private:
  void compute(const SymInt& size, ArchiveGraph& graph);
  void compute_symbol(const SymInt& size, const Expression& symbol, ArchiveGraph& graph);
  void compute_sum(const Expression& sum, ArchiveGraph& graph);
  // Appends a node for op(a, b), unless its value is known; returns the value.
  SymInt combine(OpwSymOp op, const SymInt& a, const SymInt& b, ArchiveGraph& graph);
  void add_node(std::string target, std::string name, std::vector<WrittenArgument> inputs,
                const SymInt& value, ArchiveGraph& graph);
  [[nodiscard]] static bool is_condition(const SymInt& value);

  const ShapeEnv* env_;
  const SizeText& text_;
  ValueNames& names_;
  SymbolScope scope_;
  std::unordered_map<std::string, SymbolBinding> bindings_;  // by symbol
  Known known_;
};

}  // namespace opwright::pt2
