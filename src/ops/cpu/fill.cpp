// fill_ and zero_.
#include <cstring>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/cpu/apply.h"
#include "opwright/ops/cpu/numbers.h"
#include "opwright/ops/in_place.h"

namespace opwright {

Tensor& fill_scalar_cpu(Tensor& self, const Scalar& value) {
  OPWRIGHT_CHECK_TYPE(!value.is_complex() || is_complex(self.dtype()), "fill_: the complex number ",
                      value, " cannot be stored in self of ", self.dtype());
  check_writable("fill_", self);
  for_dtype(self.dtype(), "fill_",
            [&]<typename T>() { apply_constant(self, number_as<T>(value)); });
  return self;
}

Tensor& zero_cpu(Tensor& self) {
  if (!self.is_contiguous()) return fill_scalar_cpu(self, 0);
  if (self.numel() > 0) {
    std::memset(self.mutable_data(), 0,
                static_cast<size_t>(self.numel()) * item_size(self.dtype()));
  }
  return self;
}

}  // namespace opwright
