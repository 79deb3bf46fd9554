#include "opwright/ops/view/view_composites.h"

#include <cstdint>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {

Tensor dense_copy(const Tensor& view) { return view.clone(MemoryFormat::Contiguous); }

Tensor reverse_dimensions(const Tensor& self) {
  Sizes order;
  for (int64_t dim = self.dim(); dim > 0; --dim) order.push_back(dim - 1);
  return self.permute(order);
}

Tensor transpose_matrices(const char* who, const Tensor& self) {
  OPWRIGHT_CHECK(self.dim() >= 2, who, ": self must have at least two dimensions, got ", self);
  return self.transpose(-2, -1);
}

Tensor conjugate_matrices(const char* who, const Tensor& self) {
  const Tensor transposed = transpose_matrices(who, self);
  return is_complex(self.dtype()) ? transposed.conj() : transposed;
}

}  // namespace opwright
