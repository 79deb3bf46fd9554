// Gradient kernels: like kKernels, without the variant for inputs of a single repeated element.
// With one x for all gradients there is almost nothing to compute in it.
#pragma once

#include "opwright/ops/engine/pointwise/kernel.h"

namespace opwright {

constexpr KernelTable without_repeated(KernelTable table) {
  for (LeveledKernel& kernel : table) kernel.repeated_by_level = {};
  return table;
}

template <template <class> class F, class Types>
inline constexpr KernelTable kGradientKernels = without_repeated(kKernels<F, Types>);

// The operation of a functor over floating-point numbers.
template <template <class> class F>
constexpr PointwiseOp gradient_op(uint8_t arity, const char* formula = nullptr) {
  return {.arity = arity,
          .kernels = &kGradientKernels<F, FloatTypes>,
          .takes = "floating dtypes",
          .formula = formula};
}

}  // namespace opwright
