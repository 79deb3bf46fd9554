// isclose, as a composite.
#include <limits>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/shape/promotion.h"

namespace opwright {

Tensor isclose_composite(const Tensor& self, const Tensor& other, double rtol, double atol,
                         bool equal_nan) {
  OPWRIGHT_CHECK(self.dtype() == other.dtype(),
                 "isclose: self and other must have the same dtype, got ", self.dtype(), " and ",
                 other.dtype());
  OPWRIGHT_CHECK(rtol >= 0, "isclose: rtol must not be negative, got ", rtol);
  OPWRIGHT_CHECK(atol >= 0, "isclose: atol must not be negative, got ", atol);
  const bool is_inexact = is_floating(self.dtype()) || is_complex(self.dtype());
  Tensor is_close = self.eq(other);
  if (equal_nan && is_inexact)
    is_close = is_close.logical_or(self.ne(self).logical_and(other.ne(other)));
  if (rtol == 0 && atol == 0) return is_close;
  // As in PyTorch, integers and bools are compared as floats: their difference could wrap around.
  const DType dtype = inexact_dtype(self.dtype());
  const Tensor left = is_inexact ? self : self.to(dtype);
  const Tensor right = is_inexact ? other : other.to(dtype);
  const Tensor allowed = right.mul(rtol).abs().add(atol);
  const Tensor error = left.sub(right).abs();
  const Tensor is_near =
      error.lt(std::numeric_limits<double>::infinity()).logical_and(error.le(allowed));
  return is_close.logical_or(is_near);
}

}  // namespace opwright
