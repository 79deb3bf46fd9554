// A dense tensor seen around one dimension: `outer` times its length times `inner` elements.
//
// Most calls of gather, index_select, embedding and cat have this form and need no strides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "opwright/tensor.h"

namespace opwright {

struct DenseLanes {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;
};

// None if `tensor` is not contiguous or has no dimension `dim`, which may be negative.
[[nodiscard]] inline std::optional<DenseLanes> find_dense_lanes(const Tensor& tensor, int64_t dim) {
  const auto sizes = tensor.sizes();
  const auto ndim = static_cast<int64_t>(sizes.size());
  if (dim < 0) dim += ndim;
  if (dim < 0 || dim >= ndim || !tensor.is_contiguous()) return std::nullopt;
  DenseLanes lanes;
  for (int64_t i = 0; i < dim; ++i) lanes.outer *= sizes[static_cast<size_t>(i)];
  lanes.length = sizes[static_cast<size_t>(dim)];
  for (int64_t i = dim + 1; i < ndim; ++i) lanes.inner *= sizes[static_cast<size_t>(i)];
  return lanes;
}

// Whether the two have the same sizes except in `dim`.
[[nodiscard]] inline bool are_equal_but_for(const Tensor& a, const Tensor& b, int64_t dim) {
  const auto left = a.sizes(), right = b.sizes();
  if (left.size() != right.size()) return false;
  if (dim < 0) dim += static_cast<int64_t>(left.size());
  bool are_equal = true;
  for (size_t i = 0; i < left.size(); ++i)
    are_equal &= left[i] == right[i] || static_cast<int64_t>(i) == dim;
  return are_equal;
}

}  // namespace opwright
