// masked_fill_ on devices with loops.
#include "opwright/error.h"
#include "opwright/ops/engine/move/device_copy.h"
#include "opwright/ops/engine/shape/in_place.h"

namespace opwright {
namespace {

constexpr const char* kMaskedFill = "masked_fill_";

void check_fill(const Tensor& self, const Tensor& mask, bool is_complex_value) {
  OPWRIGHT_CHECK_TYPE(!is_complex_value || is_complex(self.dtype()), kMaskedFill,
                      ": a complex value cannot be stored in self of ", self.dtype());
  OPWRIGHT_CHECK_TYPE(mask.dtype() == DType::Bool, kMaskedFill, ": mask must be of bool, got ",
                      mask);
  check_expands(kMaskedFill, "mask", mask, self);
  check_writable(kMaskedFill, self);
}

}  // namespace

Tensor& masked_fill_scalar_in_place_all_devices(Tensor& self, const Tensor& mask,
                                                const Scalar& value) {
  check_fill(self, mask, value.is_complex());
  fill_where_on_device(self, mask, value);
  return self;
}

Tensor& masked_fill_tensor_in_place_all_devices(Tensor& self, const Tensor& mask,
                                                const Tensor& value) {
  OPWRIGHT_CHECK_VALUE(value.dim() == 0, kMaskedFill,
                       ": value must be a number or a zero-dim tensor, got ", value);
  check_fill(self, mask, is_complex(value.dtype()));
  fill_where_on_device(self, mask, value);
  return self;
}

}  // namespace opwright
