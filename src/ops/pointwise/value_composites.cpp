#include "opwright/ops/pointwise/value_composites.h"

#include <limits>

#include "opwright/dtype.h"
#include "opwright/functions.h"

namespace opwright {

Tensor is_finite(const Tensor& self) {
  const bool may_be_infinite = is_floating(self.dtype()) || is_complex(self.dtype());
  if (!may_be_infinite) return ones_like(self, DType::Bool);
  return self.abs().lt(std::numeric_limits<double>::infinity());  // false for NaN too
}

Tensor is_real(const Tensor& self) {
  return is_complex(self.dtype()) ? imag(self).eq(0) : ones_like(self, DType::Bool);
}

}  // namespace opwright
