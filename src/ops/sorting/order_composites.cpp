// Operators of order that are made of others: argsort, msort, aminmax, index_reduce.
#include <cstdint>
#include <string_view>
#include <tuple>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The index of a row for each element of `source`, for a scatter along `dim`.
Tensor spread_row_index(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                        std::string_view reduce) {
  constexpr const char* kWho = "index_reduce";
  OPWRIGHT_CHECK_VALUE(reduce == "prod" || reduce == "mean" || reduce == "amax" || reduce == "amin",
                       kWho, ": reduce must be prod, mean, amax or amin, got ", reduce);
  OPWRIGHT_CHECK_INDEX(index.dim() <= 1, kWho, ": index must have zero or one dimension, got ",
                       index);
  const int64_t ndim = self.dim();
  OPWRIGHT_CHECK(source.dim() == ndim, kWho, ": source (", source,
                 ") must have as many dimensions as self (", self, ")");
  if (ndim == 0) return index.reshape({});
  const auto along = static_cast<int64_t>(wrap_dim(dim, static_cast<size_t>(ndim), kWho));
  const SymInt count = index.sym_numel();
  SymSizes sizes = sym_geometry_of(source).sizes;
  for (int64_t i = 0; i < ndim; ++i)
    OPWRIGHT_DEMAND(sizes[static_cast<size_t>(i)] == (i == along ? count : self.sym_size(i)), kWho,
                    ": source (", source, ") must have the sizes of self (", self,
                    ") with the number of indices (", index, ") in dimension ", along);
  SymSizes shape;
  for (int64_t i = 0; i < ndim; ++i) shape.push_back(i == along ? count : SymInt(1));
  return index.reshape(shape).expand(sizes);
}

}  // namespace

std::tuple<Tensor, Tensor> aminmax_all_devices(const Tensor& self) {
  return {self.min(), self.max()};
}
std::tuple<Tensor, Tensor> aminmax_dim_all_devices(const Tensor& self, int64_t dim, bool keepdim) {
  return {self.amin({dim}, keepdim), self.amax({dim}, keepdim)};
}

Tensor index_reduce_composite(const Tensor& self, int64_t dim, const Tensor& index,
                              const Tensor& source, std::string_view reduce, bool include_self) {
  const Tensor spread = spread_row_index(self, dim, index, source, reduce);
  return self.scatter_reduce(dim, spread, source, reduce, include_self);
}
Tensor& index_reduce_in_place_composite(Tensor& self, int64_t dim, const Tensor& index,
                                        const Tensor& source, std::string_view reduce,
                                        bool include_self) {
  const Tensor spread = spread_row_index(self, dim, index, source, reduce);
  self.scatter_reduce_(dim, spread, source, reduce, include_self);
  return self;
}

}  // namespace opwright
