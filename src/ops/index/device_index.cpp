// Indexing, gather and scatter on devices that move elements. Shapes are checked like in the CPU
// kernels; the device detects indices out of range, and negative ones count from the end.
#include <cstdint>
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/move/device_move.h"
#include "opwright/ops/engine/shape/in_place.h"
#include "opwright/ops/engine/shape/index_shape.h"
#include "opwright/ops/index/index_mask.h"
#include "opwright/tensor/overlap.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// A tensor without memory shared with `self`, which is about to be written.
Tensor apart_from_written(const Tensor& tensor, const Tensor& self) {
  return overlap(tensor, self) == Overlap::None ? tensor : tensor.clone();
}

// Indices and masks on the CPU are accepted too.
void check_devices(const char* who, const Tensor& self, const IndexTensors& indices) {
  for (const auto& index : indices) {
    if (!index || !index->is_defined()) continue;
    OPWRIGHT_CHECK(index->device() == self.device() || index->device().type == kOpwDeviceCpu, who,
                   ": an index tensor must be on the device of self, ", self.device(),
                   self.device().type == kOpwDeviceCpu ? "" : ", or on cpu", ", got ", *index);
  }
}

// How the elements of a tensor are found; reusable for a copy of it in another dtype.
struct FoundIndices {
  IndexedShape shape;
  SmallVector<Tensor, 4> tensors;

  [[nodiscard]] DeviceMove move_of(const char* who, const Tensor& self) const {
    return {who, self, shape, tensors};
  }
};
FoundIndices find_indices(const char* who, const Tensor& self, const IndexTensors& given) {
  check_devices(who, self, given);
  const IndexTensors indices = without_masks(who, self, given);
  FoundIndices found{.shape = find_indexed_shape(who, self, indices), .tensors = {}};
  for (const size_t dim : found.shape.indexed)
    found.tensors.push_back(apart_from_written(*indices[dim], self));
  return found;
}

// The dtype in which devices add; sums of smaller dtypes are rounded once.
DType sum_dtype(DType dtype) {
  if (is_complex(dtype) || dtype == DType::Float64) return dtype;
  if (is_floating(dtype)) return DType::Float32;
  return item_size(dtype) == 8 ? dtype : DType::Int32;
}

// Adds `source` to the elements that make_move(self) addresses.
template <class MakeMove>
void add_device_elements(Tensor& self, const Tensor& source, const MakeMove& make_move) {
  const DType dtype = sum_dtype(self.dtype());
  if (dtype == self.dtype()) return make_move(self).add(apart_from_written(source, self));
  const Tensor sums = self.to(dtype);
  make_move(sums).add(source.to(dtype));
  self.copy_(sums);
}

Tensor select_rows(const char* who, const Tensor& self, size_t dim, const Tensor& index) {
  return DeviceMove(who, self, replace_dim(self, dim, index), {&index, 1}).read();
}

}  // namespace

Tensor index_all_devices(const Tensor& self, const IndexTensors& indices) {
  return find_indices("index", self, indices).move_of("index", self).read();
}

Tensor& index_put_in_place_all_devices(Tensor& self, const IndexTensors& indices,
                                       const Tensor& values, bool accumulate) {
  constexpr const char* kWho = "index_put_";
  OPWRIGHT_CHECK_TYPE(self.dtype() == values.dtype(), kWho, ": values of ", values.dtype(),
                      " must have the dtype of self, ", self.dtype());
  OPWRIGHT_CHECK(values.device() == self.device() || values.dim() == 0, kWho,
                 ": values must be on the device of self, ", self.device(), ", got ", values);
  check_writable(kWho, self);
  const FoundIndices found = find_indices(kWho, self, indices);
  const DeviceMove move = found.move_of(kWho, self);
  const Tensor there = apart_from_written(values.to(self.device(), values.dtype()), self);
  const Tensor source =
      make_view(there, expand_geometry<int64_t>(geometry_of(there), move.sizes(),
                                                "index_put_: values of the indexed part"));
  if (!accumulate) return move.write(source), self;
  add_device_elements(self, source, [&](const Tensor& sums) { return found.move_of(kWho, sums); });
  return self;
}

Tensor index_select_all_devices(const Tensor& self, int64_t dim, const Tensor& index) {
  constexpr const char* kWho = "index_select";
  OPWRIGHT_CHECK_VALUE(index.dim() <= 1, kWho, ": index must have one dimension, got sizes ",
                       to_text(index.sizes()));
  check_index_dtype(kWho, index);
  const size_t along = wrap_dim(dim, static_cast<size_t>(self.dim() == 0 ? 1 : self.dim()), kWho);
  OPWRIGHT_CHECK_VALUE(self.dim() > 0 || index.numel() == 1, kWho,
                       ": self has zero dimensions, so "
                       "index must hold one index, got sizes ",
                       to_text(index.sizes()));
  if (self.dim() == 0) return DeviceMove(kWho, self, 0, index.reshape({})).read();
  return select_rows(kWho, self, along, index.reshape({-1}));
}

Tensor embedding_all_devices(const Tensor& weight, const Tensor& indices, int64_t /*padding_idx*/,
                             bool /*scale_grad_by_freq*/, bool /*sparse*/) {
  constexpr const char* kWho = "embedding";
  OPWRIGHT_CHECK_VALUE(weight.dim() == 2, kWho, ": weight must have two dimensions, got sizes ",
                       to_text(weight.sizes()));
  check_index_dtype(kWho, indices);
  return select_rows(kWho, weight, 0, indices);
}

Tensor gather_all_devices(const Tensor& self, int64_t dim, const Tensor& index,
                          bool /*sparse_grad*/) {
  const size_t along = check_gather("gather", self, dim, index);
  if (index.numel() == 0) return self.new_empty(index.sizes());
  return DeviceMove("gather", self, along, index).read();
}

Tensor& scatter_src_in_place_all_devices(Tensor& self, int64_t dim, const Tensor& index,
                                         const Tensor& src) {
  const size_t along = check_scatter("scatter_", self, dim, index, &src);
  check_writable("scatter_", self);
  if (index.numel() == 0) return self;
  DeviceMove("scatter_", self, along, apart_from_written(index, self))
      .write(apart_from_written(src, self));
  return self;
}

Tensor& scatter_value_in_place_all_devices(Tensor& self, int64_t dim, const Tensor& index,
                                           const Scalar& value) {
  const size_t along = check_scatter("scatter_", self, dim, index, nullptr);
  OPWRIGHT_CHECK_TYPE(!value.is_complex() || is_complex(self.dtype()),
                      "scatter_: the complex number ", value, " cannot be stored in self of ",
                      self.dtype());
  check_writable("scatter_", self);
  if (index.numel() == 0) return self;
  DeviceMove("scatter_", self, along, apart_from_written(index, self)).write(value);
  return self;
}

Tensor& scatter_add_in_place_all_devices(Tensor& self, int64_t dim, const Tensor& index,
                                         const Tensor& src) {
  const size_t along = check_scatter("scatter_add_", self, dim, index, &src);
  check_writable("scatter_add_", self);
  if (index.numel() == 0) return self;
  const Tensor apart = apart_from_written(index, self);
  add_device_elements(self, src, [&](const Tensor& sums) {
    return DeviceMove("scatter_add_", sums, along, apart);
  });
  return self;
}

}  // namespace opwright
