// Other sizes for the tensors of an example: which ones a symbolic run admits, and the example at
// these sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "opwright/check/example/example.h"
#include "opwright/check/example/outcome.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/view.h"

namespace opwright {

// The geometry of each of Example::tensors() before a symbolic run.
using SymbolicForms = std::vector<SymGeometry>;
[[nodiscard]] SymbolicForms forms_of(const std::vector<Tensor>& twins);

// The symbols that are sizes, with their values in the example, in the order of the tensors.
struct SizeSymbol {
  std::string name;
  int64_t value;
  std::string source;  // "dimension 0 of 'x'"
};
[[nodiscard]] std::vector<SizeSymbol> size_symbols(const Example& example,
                                                   const SymbolicForms& forms);
[[nodiscard]] SymbolValues values_of(const std::vector<SizeSymbol>& symbols);
// " where dimension 0 of 'x' is 4": the sizes that differ from the example.
[[nodiscard]] std::string describe_sizes(const std::vector<SizeSymbol>& symbols,
                                         const SymbolValues& values);

// Other values, likely ones first: all larger, multiples, each alone, small random ones.
[[nodiscard]] std::vector<SymbolValues> propose_sizes(const std::vector<SizeSymbol>& symbols,
                                                      uint64_t seed);
// Whether guards, ranges and equalities hold; those with unbound symbols are ignored.
[[nodiscard]] bool admits(const ShapeEnv& env, const SymbolValues& values);
// The first violated guard; null if all hold.
[[nodiscard]] const Guard* find_broken_guard(const ShapeEnv& env, const SymbolValues& values);

// The value of an expression; nullopt if a symbol has no value.
[[nodiscard]] std::optional<int64_t> evaluate_size(const ShapeEnv& env, const SymInt& expression,
                                                   const SymbolValues& values);

// The example at other sizes: tensors have the strides of their forms, and their elements are the
// example's, repeated or cut off. nullopt if tensors share memory, are too large or not on the CPU,
// or if elements would overlap.
[[nodiscard]] std::optional<Example> resize(const Example& example, const ShapeEnv& env,
                                            const SymbolicForms& forms, const SymbolValues& values);

// ---- Results of a symbolic run, at other sizes ----

struct MadeOverSymbols {
  const Example& example;
  const ShapeEnv& env;
  const SymbolicForms& forms;
};
// Returns nullopt for sizes that do not count (they are rejected), "" if everything is right,
// otherwise what is wrong.
using LookAtSizes =
    std::function<std::optional<std::string>(const Example& resized, const SymbolValues& values)>;
struct FaultAtSizes {
  std::string where;  // describe_sizes
  std::string what;
};
// The first fault at up to `most` sizes that count, among those that the environment admits.
[[nodiscard]] std::optional<FaultAtSizes> find_fault_at_other_sizes(const MadeOverSymbols& made,
                                                                    uint64_t seed, int most,
                                                                    const LookAtSizes& look);
// Whether a graph, not an operator, rejected its inputs.
[[nodiscard]] bool is_refused_by_guards(const Outcome& run);

}  // namespace opwright
