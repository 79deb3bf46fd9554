// The forms of indexing operators that are made of others: a copy that is then written, masks as a
// choice.
#include <string_view>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/index_shape.h"
#include "opwright/symbolic/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// A choice between a number in the dtype of self and self; the sizes are those of both.
Tensor choose(const char* who, const Tensor& self, const Tensor& mask, const Tensor& value) {
  OPWRIGHT_CHECK_TYPE(mask.dtype() == DType::Bool, who, ": mask must be of bool, got ", mask);
  OPWRIGHT_CHECK_TYPE(!is_complex(value.dtype()) || is_complex(self.dtype()), who,
                      ": a complex value cannot be stored in self of ", self.dtype());
  OPWRIGHT_CHECK_VALUE(value.dim() == 0, who, ": value must be a number or a zero-dim tensor, got ",
                       value);
  return where(mask, value.to(self.dtype()), self);
}

Tensor as_number(const Tensor& self, const Scalar& value) {
  return scalar_tensor(value, value.is_complex() ? DType::Complex128 : self.dtype(), std::nullopt,
                       self.device());
}

// ValueError where a mask has more dimensions or sizes than what it is written to.
void check_mask_fits(const char* who, const Tensor& self, const Tensor& mask) {
  (void)expand_geometry<SymInt>(sym_geometry_of(mask), sym_geometry_of(self).sizes, who);
}

}  // namespace

Tensor index_put_all_devices(const Tensor& self, const IndexTensors& indices, const Tensor& values,
                             bool accumulate) {
  Tensor result = self.clone();
  result.index_put_(indices, values, accumulate);
  return result;
}

Tensor scatter_src_all_devices(const Tensor& self, int64_t dim, const Tensor& index,
                               const Tensor& src) {
  Tensor result = self.clone(MemoryFormat::Contiguous);
  result.scatter_(dim, index, src);
  return result;
}

Tensor scatter_value_all_devices(const Tensor& self, int64_t dim, const Tensor& index,
                                 const Scalar& value) {
  Tensor result = self.clone(MemoryFormat::Contiguous);
  result.scatter_(dim, index, value);
  return result;
}

Tensor scatter_add_all_devices(const Tensor& self, int64_t dim, const Tensor& index,
                               const Tensor& src) {
  Tensor result = self.clone(MemoryFormat::Contiguous);
  result.scatter_add_(dim, index, src);
  return result;
}

Tensor scatter_reduce_all_devices(const Tensor& self, int64_t dim, const Tensor& index,
                                  const Tensor& src, std::string_view reduce, bool include_self) {
  Tensor result = self.clone(MemoryFormat::Contiguous);
  result.scatter_reduce_(dim, index, src, reduce, include_self);
  return result;
}

Tensor masked_scatter_all_devices(const Tensor& self, const Tensor& mask, const Tensor& source) {
  const SymSizes sizes =
      broadcast_sizes(sym_geometry_of(self).sizes, sym_geometry_of(mask).sizes, "masked_scatter");
  Tensor result = self.expand(sizes).clone(MemoryFormat::Contiguous);
  result.masked_scatter_(mask, source);
  return result;
}

Tensor masked_fill_scalar_all_devices(const Tensor& self, const Tensor& mask, const Scalar& value) {
  return choose("masked_fill", self, mask, as_number(self, value));
}

Tensor masked_fill_tensor_all_devices(const Tensor& self, const Tensor& mask, const Tensor& value) {
  return choose("masked_fill", self, mask, value);
}

Tensor& masked_fill_in_place_scalar_all_devices(Tensor& self, const Tensor& mask,
                                                const Scalar& value) {
  check_mask_fits("masked_fill_", self, mask);
  return self.copy_(choose("masked_fill_", self, mask, as_number(self, value)));
}

Tensor& masked_fill_in_place_tensor_all_devices(Tensor& self, const Tensor& mask,
                                                const Tensor& value) {
  check_mask_fits("masked_fill_", self, mask);
  return self.copy_(choose("masked_fill_", self, mask, value));
}

}  // namespace opwright
