// The functional forms of indexing operators: copy, then write in place.
#include <string_view>

#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/shape/index_shape.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// A copy in the broadcast sizes of both, to write through the mask.
Tensor clone_for_mask(const char* who, const Tensor& self, const Tensor& mask) {
  const SymSizes sizes =
      broadcast_sizes(sym_geometry_of(self).sizes, sym_geometry_of(mask).sizes, who);
  return self.expand(sizes).clone(MemoryFormat::Contiguous);
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
  Tensor result = clone_for_mask("masked_scatter", self, mask);
  result.masked_scatter_(mask, source);
  return result;
}

Tensor masked_fill_scalar_all_devices(const Tensor& self, const Tensor& mask, const Scalar& value) {
  Tensor result = clone_for_mask("masked_fill", self, mask);
  result.masked_fill_(mask, value);
  return result;
}

Tensor masked_fill_tensor_all_devices(const Tensor& self, const Tensor& mask, const Tensor& value) {
  Tensor result = clone_for_mask("masked_fill", self, mask);
  result.masked_fill_(mask, value);
  return result;
}

}  // namespace opwright
