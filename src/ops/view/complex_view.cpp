// Complex numbers as pairs of real ones and back: view_as_real, view_as_complex, real, imag.
#include <cstddef>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

void divide_by_two(SymInt& number, const char* what) {
  OPWRIGHT_CHECK(guard_or_false(number % SymInt(2) == 0), "view_as_complex: Tensor must have a ",
                 what, ", got ", number);
  number = number / SymInt(2);
}

}  // namespace

Tensor view_as_real_all_devices(const Tensor& self) {
  OPWRIGHT_CHECK(is_complex(self.dtype()),
                 "view_as_real: it is only supported for complex tensors, got ", self.dtype());
  SymGeometry geometry = sym_geometry_of(self);
  for (SymInt& stride : geometry.strides) stride = stride * SymInt(2);
  geometry.sizes.push_back(2);
  geometry.strides.push_back(1);
  geometry.offset = geometry.offset * SymInt(2);
  return make_view(self, geometry, real_dtype(self.dtype()));
}
Tensor view_as_real_scatter(const Tensor& /*base*/, const Tensor& value) {
  return view_as_complex(value.contiguous());
}
VmapResult<Tensor> view_as_real_vmap(const VmapInfo& info, const Tensor& self) {
  return batched(view_as_real(batch_first(info, 0, self)));
}

Tensor view_as_complex_all_devices(const Tensor& self) {
  const DType dtype = self.dtype();
  OPWRIGHT_CHECK(dtype == DType::Float32 || dtype == DType::Float64,
                 "view_as_complex: it is only supported for float32 and float64 tensors, got ",
                 dtype);
  SymGeometry geometry = sym_geometry_of(self);
  OPWRIGHT_CHECK(!geometry.sizes.empty(),
                 "view_as_complex: Input tensor must have one or more dimensions");
  OPWRIGHT_CHECK(guard_or_false(geometry.sizes.back() == 2),
                 "view_as_complex: Tensor must have a last dimension of size 2, got ",
                 geometry.sizes.back());
  OPWRIGHT_CHECK(guard_or_false(geometry.strides.back() == 1),
                 "view_as_complex: Tensor must have a last dimension with stride 1, got ",
                 geometry.strides.back());
  geometry.sizes.pop_back();
  geometry.strides.pop_back();
  for (size_t i = 0; i < geometry.strides.size(); ++i) {
    if (guard_or_false(geometry.sizes[i] == 1))
      geometry.strides[i] = geometry.strides[i] / SymInt(2);  // of no meaning
    else
      divide_by_two(geometry.strides[i], "stride divisible by 2 for all but last dimension");
  }
  divide_by_two(geometry.offset, "storage_offset divisible by 2");
  return make_view(self, geometry, dtype == DType::Float32 ? DType::Complex64 : DType::Complex128);
}
Tensor view_as_complex_scatter(const Tensor& /*base*/, const Tensor& value) {
  return view_as_real(value);
}
VmapResult<Tensor> view_as_complex_vmap(const VmapInfo& info, const Tensor& self) {
  const Tensor batch = batch_first(info, 0, self);
  OPWRIGHT_CHECK(batch.dim() > 1, "view_as_complex: Input tensor must have one or more dimensions");
  return batched(view_as_complex(batch));
}

Tensor real_composite(const Tensor& self) {
  return is_complex(self.dtype()) ? view_as_real(self).select(-1, 0) : self;
}

Tensor imag_composite(const Tensor& self) {
  OPWRIGHT_CHECK(is_complex(self.dtype()),
                 "imag: it is not implemented for tensors with non-complex dtypes, got ",
                 self.dtype());
  return view_as_real(self).select(-1, 1);
}

}  // namespace opwright
