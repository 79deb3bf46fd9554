// The dtype, sizes and strides of a pointwise result. Shared by real and fake kernels.
#pragma once

#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {

struct PointwiseTypes {
  DType common;   // the operands are rounded to it
  DType compute;  // the operation is computed in it
  DType result;
  const LeveledKernel* kernel;
};

// TypeError if the operation has no kernel for the common dtype.
[[nodiscard]] PointwiseTypes find_types(const PointwiseCall& call);

// The broadcast sizes of all tensors. ValueError.
[[nodiscard]] Sizes find_sizes(const PointwiseCall& call);
[[nodiscard]] SymSizes find_sym_sizes(const PointwiseCall& call);

// The strides of a new result: dense, in the memory order of the operands, as in PyTorch.
[[nodiscard]] Sizes find_strides(const PointwiseCall& call, std::span<const int64_t> sizes,
                                 DType common);
// With symbolic sizes or strides, operands with a common layout keep it; otherwise the result is
// contiguous.
[[nodiscard]] SymSizes find_sym_strides(const PointwiseCall& call, const SymSizes& sizes,
                                        DType common);

// Prepares `out` for the result: resizes it if it is empty. ValueError for other sizes, and the
// errors of check_storable and check_writable.
void prepare_out(const PointwiseCall& call, const PointwiseTypes& types, const Tensor& out);

}  // namespace opwright
