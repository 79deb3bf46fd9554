// Other sizes for the tensors of an example: which ones a run over symbols admits, and the example
// at these sizes.
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

// The tensors of an example as a run over symbols sees them before it starts: one for each of
// Example::tensors().
using SymbolicForms = std::vector<SymGeometry>;
[[nodiscard]] SymbolicForms forms_of(const std::vector<Tensor>& twins);

// The symbols that are sizes, with their values in the example; in the order of the tensors.
struct SizeSymbol {
  std::string name;
  int64_t value;
  std::string source;  // "dimension 0 of 'x'"
};
[[nodiscard]] std::vector<SizeSymbol> size_symbols(const Example& example,
                                                   const SymbolicForms& forms);
[[nodiscard]] SymbolValues values_of(const std::vector<SizeSymbol>& symbols);
// " where dimension 0 of 'x' is 4": the sizes that are others than in the example.
[[nodiscard]] std::string describe_sizes(const std::vector<SizeSymbol>& symbols,
                                         const SymbolValues& values);

// Other values, the likely ones first: all larger, multiples, each alone, small ones by chance.
[[nodiscard]] std::vector<SymbolValues> propose_sizes(const std::vector<SizeSymbol>& symbols,
                                                      uint64_t seed);
// Whether guards, ranges and equalities hold; those of symbols without a value are left out.
[[nodiscard]] bool admits(const ShapeEnv& env, const SymbolValues& values);
// The first guard that does not hold; null: all do.
[[nodiscard]] const Guard* find_broken_guard(const ShapeEnv& env, const SymbolValues& values);

// The value of an expression; none where a symbol has none.
[[nodiscard]] std::optional<int64_t> evaluate_size(const ShapeEnv& env, const SymInt& expression,
                                                   const SymbolValues& values);

// The example at other sizes: tensors have the strides that their forms say, and the elements of
// the example's own, repeated or cut off. None where tensors share memory, are too large or not on
// the cpu, or where elements would run into each other.
[[nodiscard]] std::optional<Example> resize(const Example& example, const ShapeEnv& env,
                                            const SymbolicForms& forms, const SymbolValues& values);

// ---- What was made over symbols, at other sizes ----

struct MadeOverSymbols {
  const Example& example;
  const ShapeEnv& env;
  const SymbolicForms& forms;
};
// Gives nothing for sizes that do not count (somebody refuses them), an empty text where all is
// right, else what is wrong.
using LookAtSizes =
    std::function<std::optional<std::string>(const Example& resized, const SymbolValues& values)>;
struct FaultAtSizes {
  std::string where;  // describe_sizes
  std::string what;
};
// The first fault at up to `most` sizes that count, of those that the environment admits.
[[nodiscard]] std::optional<FaultAtSizes> find_fault_at_other_sizes(const MadeOverSymbols& made,
                                                                    uint64_t seed, int most,
                                                                    const LookAtSizes& look);
// Whether a graph refused its inputs, and no operator did.
[[nodiscard]] bool is_refused_by_guards(const Outcome& run);

}  // namespace opwright
