// The CPU's engine of folds: one state of many elements, for each output.
//
// Where the elements of an output lie closest together they are folded run by run, else some
// neighbouring outputs side by side, row by row. Elements that are not dense, or not of the
// kernel's dtype, are read through a buffer in the first cache. Partial states are merged as a
// tree. Many outputs, and pieces of long folds, are shared among the threads; the pieces depend on
// the shape alone, and so does the result.
#pragma once

#include "opwright/ops/engine/reduction/reduction_table.h"
#include "opwright/ops/engine/shape/reduction_shape.h"

namespace opwright {

// Folds the dimensions of `input` that are not kept, in `compute`, and writes to the contiguous
// `output` what the kernel gives, converted to its dtype; and, where the fold gives them, the
// indices of elements to `indices`, contiguous as well, else null. Such a fold has one dimension.
void compute_fold(const FoldTable& table, DType compute, const FoldNumbers& numbers,
                  const Tensor& input, const DimSet& folded, const Tensor& output,
                  const Tensor* indices);

}  // namespace opwright
