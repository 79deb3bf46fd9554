// What composites of functions.yaml do with views.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

// A contiguous copy with memory of its own.
[[nodiscard]] Tensor dense_copy(const Tensor& view);

// The dimensions in reverse order.
[[nodiscard]] Tensor reverse_dimensions(const Tensor& self);
// The last two dimensions exchanged. RuntimeError for fewer than two.
[[nodiscard]] Tensor transpose_matrices(const char* who, const Tensor& self);
// The same, conjugated.
[[nodiscard]] Tensor conjugate_matrices(const char* who, const Tensor& self);

}  // namespace opwright
