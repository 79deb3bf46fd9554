#include "opwright/autograd/gradient_fit.h"

#include <atomic>
#include <cstdint>

#include "opwright/base/small_vector.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {

Tensor undo_broadcast(const Tensor& gradient, std::span<const SymInt> sizes) {
  if (has_sizes(gradient, sizes)) return gradient;
  const auto ndim = static_cast<int64_t>(sizes.size());
  const int64_t added = gradient.dim() - ndim;
  if (added < 0) return {};
  SmallVector<int64_t, 6> leading;
  SmallVector<int64_t, 6> repeated;
  for (int64_t i = 0; i < gradient.dim(); ++i) {
    if (i < added) {
      leading.push_back(i);
      continue;
    }
    const SymInt& wanted = sizes[static_cast<size_t>(i - added)];
    const SymInt has = gradient.sym_size(i);
    if (guard_or_false(wanted == 1)) {
      if (!guard_or_false(has == 1)) repeated.push_back(i - added);
    } else if (!(wanted == has)) {
      return {};
    }
  }
  Tensor sum = leading.empty() ? gradient : gradient.sum(leading);
  if (!repeated.empty()) sum = sum.sum(repeated, true);
  return sum;
}

bool is_sole_owner(const Tensor& gradient, uint32_t others) {
  const TensorImpl& self = impl(gradient);
  return !self.is_wrapper() && self.count <= 1 + others && self.storage &&
         self.storage->count.load(std::memory_order_acquire) == 1 && !gradient.is_symbolic() &&
         (self.flags & (kAutogradFlags | kOpwFlagFake)) == 0 &&
         (gradient.is_contiguous() ||
          is_non_overlapping_and_dense(gradient.sizes(), gradient.strides()));
}

Tensor fit_layout(Tensor gradient, const Tensor& leaf) {
  if (impl(gradient).level != impl(leaf).level) return gradient;
  const bool is_plain = !gradient.is_symbolic() && !leaf.is_symbolic();
  if (is_plain && leaf.is_contiguous()) {
    return gradient.is_contiguous() ? gradient : gradient.contiguous();
  }
  const SymGeometry wanted = sym_geometry_of(leaf);
  if (!is_non_overlapping_and_dense(wanted.sizes, wanted.strides)) return gradient.contiguous();
  if (has_strides(gradient, wanted)) return gradient;
  return opwright::copy(opwright::empty_strided(wanted.sizes, wanted.strides, gradient.dtype(), {},
                                                gradient.device()),
                        gradient);
}

Tensor fit_dtype(const Tensor& gradient, DType dtype) {
  return gradient.dtype() == dtype ? gradient : gradient.to(dtype);  // complex: real part
}

Tensor fit_dtype(const Tensor& gradient, const ValueMeta& value) {
  return value.takes(gradient.dtype()) ? gradient : fit_dtype(gradient, value.dtype());
}

}  // namespace opwright
