// InputPlan: the precomputed input checks of a graph. It holds where symbols come from, and sizes,
// guards and ranges as programs. Any number of runs may read it concurrently; it does not access
// the environment, which is limited to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/sym_program.h"

namespace opwright {

class Graph;

struct InputPlan : Counted<InputPlan> {
  explicit InputPlan(const Graph& graph);

  // A size of an input, or its number.
  struct Expected {
    const GraphValue* input;
    size_t place;  // index of the input
    ShownNumber shown;
  };
  std::vector<std::vector<SymbolBinding>> bindings;  // for each input
  std::vector<std::string> symbols;                  // of the environment, in order
  std::vector<std::string> outer_symbols;            // used by inputs but not bound by them
  std::vector<Expected> expected;
  std::vector<Guard> guards;             // those whose symbols are bound by inputs
  std::vector<Symbol> ranges;            // of the symbols bound by inputs
  std::optional<SymProgram> sizes;       // computes `expected`; none: no symbols
  std::optional<SymProgram> conditions;  // computes `guards`
  SymbolScope scope;                     // after all inputs

  // Graph::input_changes() of the graph when the plan was made.
  uint64_t input_changes;
  size_t num_guards;

 private:
  void add_symbols(const ShapeEnv& env);
};
using InputPlanPtr = IntrusivePtr<const InputPlan>;

}  // namespace opwright
