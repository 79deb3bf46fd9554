// Operators whose result depends on values that the host must know: equal, allclose, nonzero,
// masked_select. Other devices copy their elements to the CPU.
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

Tensor on_cpu(const Tensor& tensor) { return _to_copy(tensor, std::nullopt, std::nullopt, kCpu); }

}  // namespace

bool equal_all_devices(const Tensor& self, const Tensor& other) {
  return equal(on_cpu(self), on_cpu(other));
}

bool allclose_all_devices(const Tensor& self, const Tensor& other, double rtol, double atol,
                          bool equal_nan) {
  return allclose(on_cpu(self), on_cpu(other), rtol, atol, equal_nan);
}

Tensor nonzero_all_devices(const Tensor& self) {
  return _to_copy(nonzero(on_cpu(self.ne(0))), std::nullopt, std::nullopt, self.device());
}

Tensor masked_select_all_devices(const Tensor& self, const Tensor& mask) {
  OPWRIGHT_CHECK_TYPE(mask.dtype() == DType::Bool, "masked_select: mask must be of bool, got ",
                      mask);
  const Sizes sizes = broadcast_sizes(self.sizes(), mask.sizes(), "masked_select");
  const Tensor places = nonzero(mask.expand(sizes).reshape({-1}));
  return index_select(self.expand(sizes).reshape({-1}), 0, places.reshape({-1}));
}

}  // namespace opwright
