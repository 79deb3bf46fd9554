// view.dtype: the bytes of a tensor as elements of another dtype.
#include <cstdint>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/rule/batching.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The checks and sizes of a view with elements of another size; the last dimension changes.
class ResizedElements {
 public:
  ResizedElements(const Tensor& self, DType dtype)
      : from_(self.dtype()), to_(dtype), geometry_(sym_geometry_of(self)) {
    OPWRIGHT_CHECK(!geometry_.sizes.empty(), "view: self.dim() cannot be 0 to view ", from_, " as ",
                   to_, " (different element sizes)");
    const SymInt last = geometry_.strides.back();
    OPWRIGHT_CHECK(guard_or_false(last == 1), "view: self.stride(-1) must be 1 to view ", from_,
                   " as ", to_, " (different element sizes), but got ", last);
  }

  SymGeometry smaller() {
    const SymInt ratio(static_cast<int64_t>(item_size(from_) / item_size(to_)));
    for (size_t i = 0; i + 1 < geometry_.strides.size(); ++i)
      geometry_.strides[i] = geometry_.strides[i] * ratio;
    geometry_.sizes.back() = geometry_.sizes.back() * ratio;
    geometry_.offset = geometry_.offset * ratio;
    return geometry_;
  }

  SymGeometry larger() {
    const SymInt ratio(static_cast<int64_t>(item_size(to_) / item_size(from_)));
    const auto divide = [&](SymInt& number, const std::string& name) {
      OPWRIGHT_CHECK(guard_or_false(number % ratio == 0), "view: self.", name,
                     " must be divisible by ", ratio, " to view ", from_, " as ", to_,
                     " (different element sizes), but got ", number);
      number = number / ratio;
    };
    divide(geometry_.sizes.back(), "size(-1)");
    divide(geometry_.offset, "storage_offset()");
    for (size_t i = 0; i + 1 < geometry_.strides.size(); ++i)
      divide(geometry_.strides[i], "stride(" + std::to_string(i) + ")");
    return geometry_;
  }

 private:
  DType from_;
  DType to_;
  SymGeometry geometry_;
};

}  // namespace

Tensor view_dtype_all_devices(const Tensor& self, DType dtype) {
  OPWRIGHT_CHECK_TYPE(dtype_name_or_null(dtype), "view: the dtype is not known");
  const size_t from = item_size(self.dtype());
  const size_t to = item_size(dtype);
  if (from == to) return make_view(self, sym_geometry_of(self), dtype);
  ResizedElements resized(self, dtype);
  return make_view(self, from > to ? resized.smaller() : resized.larger(), dtype);
}

Tensor view_dtype_scatter(const Tensor& base, const Tensor& value, DType /*dtype*/) {
  return value.contiguous().view(base.dtype());
}

VmapResult<Tensor> view_dtype_vmap(const VmapInfo& info, const Tensor& self, DType dtype) {
  const Tensor batch = batch_first(info, 0, self);
  OPWRIGHT_CHECK(batch.dim() > 1 || item_size(self.dtype()) == item_size(dtype),
                 "view: self.dim() cannot be 0 to view ", self.dtype(), " as ", dtype,
                 " (different element sizes)");
  return batched(batch.view(dtype));
}

}  // namespace opwright
