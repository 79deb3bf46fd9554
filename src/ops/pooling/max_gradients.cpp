#include "opwright/ops/pooling/max_gradients.h"

#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/tensor/view.h"

namespace opwright {

Tensor take_largest(const Tensor& grad, const Tensor& indices, int64_t ndim) {
  return grad.flatten(-ndim)
      .gather(-1, indices.flatten(-ndim))
      .reshape(sym_geometry_of(indices).sizes);
}

}  // namespace opwright
