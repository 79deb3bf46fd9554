// Shared by decomposition rules (Slot::Decompose): conversions that make no call if there is
// nothing to convert. A rule calls operators that stay whole in a graph, and must not read the
// values of symbolic sizes.
#pragma once

#include <optional>

#include "opwright/dispatch/operator.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/view.h"

namespace opwright {

// Whether decompose(graph, operators) can decompose the operator.
[[nodiscard]] inline bool has_decomposition(const Operator& op) {
  return op.record(Slot::Decompose) != nullptr;
}

[[nodiscard]] inline Tensor in_dtype(const Tensor& tensor, DType dtype) {
  return tensor.dtype() == dtype ? tensor : _to_copy(tensor, dtype);
}
// Converts to the compute dtype: halves to float32.
[[nodiscard]] inline Tensor widened(const Tensor& tensor) {
  return in_dtype(tensor, kernel_dtype(tensor.dtype()));
}

[[nodiscard]] inline Tensor in_format(const Tensor& tensor, MemoryFormat format) {
  const SymGeometry geometry = sym_geometry_of(tensor);
  return is_contiguous(geometry.sizes, geometry.strides, format) ? tensor : clone(tensor, format);
}
[[nodiscard]] inline Tensor dense(const Tensor& tensor) {
  return in_format(tensor, MemoryFormat::Contiguous);
}

}  // namespace opwright
