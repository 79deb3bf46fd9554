#include "opwright/ops/engine/shape/reduction_shape.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "opwright/error.h"
#include "opwright/tensor/view.h"

namespace opwright {

DimSet fold_dims(const char* who, int64_t ndim, std::optional<std::span<const int64_t>> dim) {
  DimSet folded;
  if (!dim || dim->empty()) return folded.set();
  for (const int64_t each : *dim) {
    // A zero-dim tensor is treated as one-dimensional, as in PyTorch.
    const size_t index = wrap_dim(each, static_cast<size_t>(std::max<int64_t>(ndim, 1)), who);
    OPWRIGHT_CHECK_VALUE(!folded[index], who, ": dim ", to_text(*dim), " names dimension ", index,
                         " twice");
    folded.set(index);
  }
  return folded;
}

Sizes reduced_sizes(std::span<const int64_t> sizes, const DimSet& folded, bool keepdim) {
  Sizes result;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!folded[i]) {
      result.push_back(sizes[i]);
    } else if (keepdim) {
      result.push_back(1);
    }
  }
  return result;
}

void StridedDims::add(StridedDim dim) {
  if (dim.size == 1) return;
  if (!dims_.empty()) {
    StridedDim& last = dims_.back();
    if (dim.stride == last.stride * last.size &&
        dim.target_stride == last.target_stride * last.size) {
      last.size *= dim.size;
      return;
    }
  }
  dims_.push_back(dim);
}

int64_t StridedDims::numel() const {
  int64_t product = 1;
  for (const StridedDim& dim : dims_) product *= dim.size;
  return product;
}

StridedDims StridedDims::without_inner() const {
  StridedDims outer;
  for (size_t i = 1; i < dims_.size(); ++i) outer.dims_.push_back(dims_[i]);
  return outer;
}

int64_t StridedDims::offset(int64_t i) const {
  int64_t offset = 0;
  for (const StridedDim& dim : dims_) {
    offset += i % dim.size * dim.stride;
    i /= dim.size;
  }
  return offset;
}

int64_t StridedDims::target_offset(int64_t i) const {
  int64_t offset = 0;
  for (const StridedDim& dim : dims_) {
    offset += i % dim.size * dim.target_stride;
    i /= dim.size;
  }
  return offset;
}

ReducedDims::ReducedDims(const Tensor& input, const DimSet& folded_dims) {
  const size_t ndim = input.sizes().size();
  Sizes target_strides(ndim, 0);
  int64_t next = 1;
  for (size_t i = ndim; i-- > 0;) {
    if (folded_dims[i]) continue;
    target_strides[i] = next;
    next *= input.sizes()[i];
  }
  SmallVector<size_t, kInlineDims> order(ndim);
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const int64_t distance_a = std::abs(input.strides()[a]);
    const int64_t distance_b = std::abs(input.strides()[b]);
    return distance_a != distance_b ? distance_a < distance_b : a > b;
  });
  for (const size_t i : order) {
    (folded_dims[i] ? folded : kept).add({input.sizes()[i], input.strides()[i], target_strides[i]});
  }
}

bool ReducedDims::is_folded_innermost() const {
  if (kept.count() == 0) return true;
  return folded.count() > 0 && std::abs(folded.inner().stride) <= std::abs(kept.inner().stride);
}

}  // namespace opwright
