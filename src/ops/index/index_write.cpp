// index_add, index_copy and index_fill: write rows of one dimension selected by an index,
// implemented with index_put_.
#include <optional>

#include "opwright/error.h"
#include "opwright/fake_tensor.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/move/indexed_memory.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/index_shape.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Returns the dimension. A zero-dim tensor is treated as one-dimensional.
size_t check_index(const char* who, const Tensor& self, int64_t dim, const Tensor& index) {
  OPWRIGHT_CHECK_INDEX(index.dim() <= 1, who, ": index must have zero or one dimension, got ",
                       index);
  check_index_dtype(who, index);
  return wrap_dim(dim, static_cast<size_t>(self.dim() == 0 ? 1 : self.dim()), who);
}

void check_source(const char* who, const Tensor& self, size_t along, const Tensor& index,
                  const Tensor& source, bool takes_scalars) {
  OPWRIGHT_CHECK(self.dtype() == source.dtype(), who, ": source of ", source.dtype(),
                 " must have the dtype of self, ", self.dtype());
  const SymInt count = index.sym_numel();
  const bool fits =
      source.dim() == self.dim() || (takes_scalars && source.dim() <= 1 && self.dim() <= 1);
  SymBool has_sizes{SymInt(fits ? 1 : 0), std::source_location::current()};
  if (fits && source.dim() == 0) has_sizes = count == 1;
  for (int64_t i = 0; fits && i < source.dim(); ++i) {
    const bool is_along = static_cast<size_t>(i) == along;
    has_sizes = sym_and(has_sizes, source.sym_size(i) == (is_along ? count : self.sym_size(i)));
  }
  OPWRIGHT_DEMAND(has_sizes, who, ": source (", source, ") must have the sizes of self (", self,
                  ") with the number of indices (", index, ") in dimension ", along);
}

// The dimension of filled rows; their index must be int64.
size_t check_filled(const Tensor& self, int64_t dim, const Tensor& index) {
  constexpr const char* kWho = "index_fill_";
  const size_t along = check_index(kWho, self, dim, index);
  OPWRIGHT_CHECK_TYPE(index.dtype() == DType::Int64, kWho, ": index must be of int64, got ", index);
  return along;
}

// Converts negative indices, which count from the end.
Tensor counted_from_start(const Tensor& self, size_t along, const Tensor& index) {
  const SymInt size = self.dim() == 0 ? SymInt(1) : self.sym_size(static_cast<int64_t>(along));
  return where(index.lt(0), index.add(Scalar(size)), index);
}

// Writes `values` to the rows that an index selects. A device detects out-of-range indices itself.
void put_rows(const char* who, const Tensor& self, size_t along, const Tensor& index,
              const Tensor& values, bool accumulate) {
  Tensor target = self.dim() == 0 ? self.reshape({1}) : self;
  const Tensor rows = index.reshape({-1});
  IndexTensors indices(along);
  const bool is_on_cpu = target.device().type == kOpwDeviceCpu;
  indices.emplace_back(is_on_cpu ? checked_index(who, rows, target, along) : rows);
  target.index_put_(indices, values, accumulate);
}

// The number in the dtype of self.
Tensor make_value(const char* who, const Tensor& self, const Scalar& value) {
  OPWRIGHT_CHECK_TYPE(!value.is_complex() || is_complex(self.dtype()), who, ": the complex number ",
                      value, " cannot be stored in self of ", self.dtype());
  return make_scalar_tensor(value, self.dtype(), self.device());
}

template <class AnyTensor>
void check_value(const char* who, const AnyTensor& value) {
  OPWRIGHT_CHECK(value.dim() == 0, who, ": value must be a number or a zero-dim tensor, got ",
                 value);
}

}  // namespace

Tensor& index_add_in_place_all_devices(Tensor& self, int64_t dim, const Tensor& index,
                                       const Tensor& source, const Scalar& alpha) {
  constexpr const char* kWho = "index_add_";
  const size_t along = check_index(kWho, self, dim, index);
  check_source(kWho, self, along, index, source, false);
  const bool is_one = !alpha.is_complex() && alpha.to<double>() == 1.0;
  put_rows(kWho, self, along, index, is_one ? source : source.mul(alpha).to(self.dtype()), true);
  return self;
}
FakeTensor& index_add_in_place_fake(FakeTensor& self, int64_t dim, const FakeTensor& index,
                                    const FakeTensor& source, const Scalar& /*alpha*/) {
  constexpr const char* kWho = "index_add_";
  const size_t along = check_index(kWho, as_tensor(self), dim, as_tensor(index));
  check_source(kWho, as_tensor(self), along, as_tensor(index), as_tensor(source), false);
  return self;
}
Tensor index_add_all_devices(const Tensor& self, int64_t dim, const Tensor& index,
                             const Tensor& source, const Scalar& alpha) {
  Tensor result = self.clone(MemoryFormat::Contiguous);
  result.index_add_(dim, index, source, alpha);
  return result;
}

Tensor& index_copy_in_place_all_devices(Tensor& self, int64_t dim, const Tensor& index,
                                        const Tensor& source) {
  constexpr const char* kWho = "index_copy_";
  const size_t along = check_index(kWho, self, dim, index);
  check_source(kWho, self, along, index, source, true);
  put_rows(kWho, self, along, index, source, false);
  return self;
}
FakeTensor& index_copy_in_place_fake(FakeTensor& self, int64_t dim, const FakeTensor& index,
                                     const FakeTensor& source) {
  constexpr const char* kWho = "index_copy_";
  const size_t along = check_index(kWho, as_tensor(self), dim, as_tensor(index));
  check_source(kWho, as_tensor(self), along, as_tensor(index), as_tensor(source), true);
  return self;
}
Tensor index_copy_all_devices(const Tensor& self, int64_t dim, const Tensor& index,
                              const Tensor& source) {
  Tensor result = self.clone(MemoryFormat::Contiguous);
  result.index_copy_(dim, index, source);
  return result;
}

Tensor& index_fill_scalar_in_place_all_devices(Tensor& self, int64_t dim, const Tensor& index,
                                               const Scalar& value) {
  constexpr const char* kWho = "index_fill_";
  const size_t along = check_filled(self, dim, index);
  put_rows(kWho, self, along, counted_from_start(self, along, index), make_value(kWho, self, value),
           false);
  return self;
}
FakeTensor& index_fill_scalar_in_place_fake(FakeTensor& self, int64_t dim, const FakeTensor& index,
                                            const Scalar& /*value*/) {
  (void)check_filled(as_tensor(self), dim, as_tensor(index));
  return self;
}
Tensor& index_fill_tensor_in_place_all_devices(Tensor& self, int64_t dim, const Tensor& index,
                                               const Tensor& value) {
  check_value("index_fill_", value);
  return index_fill_scalar_in_place_all_devices(self, dim, index, value.item());
}
FakeTensor& index_fill_tensor_in_place_fake(FakeTensor& self, int64_t dim, const FakeTensor& index,
                                            const FakeTensor& value) {
  check_value("index_fill_", value);
  (void)check_filled(as_tensor(self), dim, as_tensor(index));
  return self;
}
Tensor index_fill_scalar_all_devices(const Tensor& self, int64_t dim, const Tensor& index,
                                     const Scalar& value) {
  Tensor result = self.clone();
  result.index_fill_(dim, index, value);
  return result;
}
Tensor index_fill_tensor_all_devices(const Tensor& self, int64_t dim, const Tensor& index,
                                     const Tensor& value) {
  Tensor result = self.clone();
  result.index_fill_(dim, index, value);
  return result;
}

}  // namespace opwright
