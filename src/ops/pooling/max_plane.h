// The largest element of each window of a plane, and where it is.
#pragma once

#include <span>
#include <tuple>

#include "opwright/memory_format.h"
#include "opwright/ops/sampling/linear_map.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// Values and indices in their plane, of `sizes` and in the format. The first of equal elements is
// taken, and of those that are not numbers the last one, as PyTorch does.
[[nodiscard]] std::tuple<Tensor, Tensor> find_largest(const LinearMap& windows, const Tensor& self,
                                                      std::span<const int64_t> sizes,
                                                      MemoryFormat format);

// The indices that go with a gradient of `sizes`: int64, of the same sizes. TypeError, ValueError.
void check_indices(const char* who, const Tensor& indices, std::span<const SymInt> sizes);

// The gradient of `self`, zeros but where `indices` point, of its sizes and in the format; planes
// are the last `ndim` dimensions. IndexError.
[[nodiscard]] Tensor scatter_gradient(const char* who, const Tensor& grad, const Tensor& self,
                                      const Tensor& indices, size_t ndim, MemoryFormat format);

}  // namespace opwright
