// Kernels of gradients: as kKernels has them, without the form for inputs that are one element for
// all. With one x for all gradients there is next to nothing left to compute in it.
#pragma once

#include "opwright/ops/engine/pointwise/kernel.h"

namespace opwright {

constexpr KernelTable without_repeated(KernelTable table) {
  for (LeveledKernel& kernel : table) kernel.repeated_by_level = {};
  return table;
}

template <template <class> class F, class Types>
inline constexpr KernelTable kGradientKernels = without_repeated(kKernels<F, Types>);

// The operation of a functor over floating numbers.
template <template <class> class F>
constexpr PointwiseOp gradient_op(uint8_t arity, const char* formula = nullptr) {
  return {.arity = arity,
          .kernels = &kGradientKernels<F, FloatTypes>,
          .takes = "floating dtypes",
          .formula = formula};
}

}  // namespace opwright
