// What the inputs of a graph must be, put together once: where symbols come from, and the sizes,
// guards and ranges as programs. Read by any number of runs at a time; the environment, which only
// one thread may ask, is not asked again.
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
    size_t place;  // of the input
    ShownNumber shown;
  };
  std::vector<std::vector<SymbolBinding>> bindings;  // for each input
  std::vector<std::string> symbols;                  // of the environment, in order
  std::vector<std::string> outer_symbols;            // that inputs show and do not bind
  std::vector<Expected> expected;
  std::vector<Guard> guards;             // whose symbols inputs bind
  std::vector<Symbol> ranges;            // of the symbols that inputs bind
  std::optional<SymProgram> sizes;       // of `expected`; none: no symbols
  std::optional<SymProgram> conditions;  // of `guards`
  SymbolScope scope;                     // after all inputs

  // Of the graph that it was made for.
  uint64_t input_changes;
  size_t num_guards;

 private:
  void add_symbols(const ShapeEnv& env);
};
using InputPlanPtr = IntrusivePtr<const InputPlan>;

}  // namespace opwright
