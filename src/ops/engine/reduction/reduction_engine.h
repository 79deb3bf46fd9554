// The CPU engine for reductions: reduces many elements to one state per output.
//
// If the elements of one output are closest together in memory, they are reduced run by run;
// otherwise several neighbouring outputs are reduced side by side, row by row. Elements that are
// not dense, or not of the kernel's dtype, go through a buffer in the L1 cache. Partial states are
// merged as a tree. Outputs, and pieces of long reductions, are distributed over threads; the
// pieces, and thus the result, depend only on the shape.
#pragma once

#include "opwright/ops/engine/reduction/reduction_table.h"
#include "opwright/ops/engine/shape/reduction_shape.h"

namespace opwright {

// Reduces the dimensions of `input` that are not kept, computing in dtype `compute`, and writes the
// kernel's results to the contiguous `output`, converted to its dtype. A reduction that also
// returns element indices writes them to `indices`, contiguous as well, else null; it has one
// reduced dimension.
void compute_fold(const FoldTable& table, DType compute, const FoldNumbers& numbers,
                  const Tensor& input, const DimSet& folded, const Tensor& output,
                  const Tensor* indices);

}  // namespace opwright
