// What the result of a pointwise call is: dtype, sizes, strides. Real and fake kernels ask here.
#pragma once

#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {

struct PointwiseTypes {
  DType common;   // in which the operands meet; they are rounded to it
  DType compute;  // in which the operation is defined
  DType result;
  const LeveledKernel* kernel;
};

// TypeError when the operation has no kernel for the common dtype.
[[nodiscard]] PointwiseTypes find_types(const PointwiseCall& call);

// The sizes that all tensors broadcast to. ValueError.
[[nodiscard]] Sizes find_sizes(const PointwiseCall& call);
[[nodiscard]] SymSizes find_sym_sizes(const PointwiseCall& call);

// The strides of a new result: dense, in the order of the operands' memory, as PyTorch has it.
[[nodiscard]] Sizes find_strides(const PointwiseCall& call, std::span<const int64_t> sizes,
                                 DType common);
// With a symbol among the sizes or strides, operands of one layout keep it and any others give a
// contiguous result.
[[nodiscard]] SymSizes find_sym_strides(const PointwiseCall& call, const SymSizes& sizes,
                                        DType common);

// Makes `out` ready for the result: an empty one gets its sizes. ValueError for other sizes, and
// what check_storable and check_writable raise.
void prepare_out(const PointwiseCall& call, const PointwiseTypes& types, const Tensor& out);

}  // namespace opwright
