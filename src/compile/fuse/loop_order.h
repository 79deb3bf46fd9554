// Orders the loops of a nest: which dimension of a domain is vectorized, the order of the others,
// and which of them are merged into one loop.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright {

// An operand's strides along the dimensions of the domain, in elements; 0 if it does not vary.
struct DomainOperand {
  std::vector<SymInt> strides;
  bool is_written = false;
};

// One loop over merged dimensions, outermost first.
struct DomainLoop {
  std::vector<uint32_t> dims;
  SymInt extent;
};

struct LoopOrder {
  std::vector<DomainLoop> rows;
  std::vector<DomainLoop> depth;
  DomainLoop columns;
  bool folds_columns = false;
};

// Columns are where most operands are contiguous, written ones first. `env` owns the symbols; null
// if there are none.
[[nodiscard]] LoopOrder order_loops(const std::vector<SymInt>& sizes,
                                    const std::vector<bool>& is_folded,
                                    const std::vector<DomainOperand>& operands,
                                    const ShapeEnv* env);

}  // namespace opwright
