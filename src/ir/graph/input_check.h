// Checks the inputs of a graph run (kinds, sizes, guards, ranges) and binds symbols from them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/input_plan.h"
#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/value.h"

namespace opwright {

class InputCheck {
 public:
  explicit InputCheck(const Graph& graph);

  // Returns one value per input, given those of role Argument. TypeError for a wrong count, kind,
  // dtype, device or number of dimensions; ValueError for a captured tensor that is missing.
  [[nodiscard]] std::vector<Value> collect(std::span<const OpwValue> arguments) const;

  // Adds the symbols that the inputs bind. ValueError if no integer solution exists.
  void bind_inputs(std::span<const Value> inputs, SymbolValues& symbols) const;
  // The same for a node's result.
  void bind(const GraphValue& value, const OpwValue& actual, SymbolValues& symbols);

  // Checks sizes, guards and ranges; call it after bind_inputs. ValueError.
  void check(std::span<const Value> inputs, const SymbolValues& symbols);
  // Checks each assertion once, as soon as all its symbols are bound. ValueError.
  void check_assertions(const SymbolValues& symbols);

 private:
  void check_sizes(std::span<const Value> inputs, std::span<const SymInt> sizes,
                   const SymbolValues& symbols) const;
  void check_guards(std::span<const SymInt> conditions, const SymbolValues& symbols) const;
  void check_ranges(const SymbolValues& symbols) const;
  [[nodiscard]] const InputWords& words() const { return graph_.input_words(); }
  [[nodiscard]] bool can_compute(const SymInt& expression, const SymbolValues& symbols) const;
  [[nodiscard]] std::string describe_symbols(const SymInt& condition,
                                             const SymbolValues& symbols) const;
  [[nodiscard]] const SymbolBinding* find_binding(const std::string& symbol) const;

  const Graph& graph_;
  const ShapeEnv* env_;
  InputPlanPtr plan_;
  SymbolScope scope_;
  std::vector<SymbolBinding> bound_by_nodes_;
  std::vector<bool> is_checked_;  // per assertion
  size_t num_bound_ = 0;          // number of bound symbols when the assertions were last checked
};

}  // namespace opwright
