// Runs the loop of a pointwise operation inside another kernel, without calling the operator.
#pragma once

#include <initializer_list>

#include "opwright/fake_tensor.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {

// The result of `op` on the CPU; errors name `who`.
[[nodiscard]] Tensor apply_pointwise(const char* who, const PointwiseOp& op,
                                     std::initializer_list<const Tensor*> operands,
                                     std::initializer_list<Scalar> numbers = {});
// Its shape and dtype only.
[[nodiscard]] FakeTensor apply_pointwise(const char* who, const PointwiseOp& op,
                                         std::initializer_list<const FakeTensor*> operands,
                                         std::initializer_list<Scalar> numbers = {});

}  // namespace opwright
