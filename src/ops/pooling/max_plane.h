// The largest element of each window of a plane, and where it is.
#pragma once

#include <span>
#include <tuple>

#include "opwright/memory_format.h"
#include "opwright/ops/sampling/linear_map.h"
#include "opwright/ops/sampling/planes.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/factory.h"

namespace opwright {

// The dtype in which the maxima of planes of `self` are found.
[[nodiscard]] DType max_dtype(const Tensor& self, size_t ndim);

// Values and indices in their plane, written to tensors with elements that are dense in the format,
// of max_dtype and int64. The first of equal elements is taken, and of those that are not numbers
// the last one, as PyTorch does.
void write_largest(const LinearMap& windows, const Tensor& self, const Tensor& values,
                   const Tensor& indices, MemoryFormat format);

// The same as new tensors of `sizes`. The windows, which are as many, are made by make_windows()
// once there is memory for them.
template <class MakeWindows>
[[nodiscard]] std::tuple<Tensor, Tensor> find_largest(const Tensor& self,
                                                      std::span<const int64_t> sizes, size_t ndim,
                                                      MemoryFormat format,
                                                      const MakeWindows& make_windows) {
  const Tensor values = make_empty(sizes, max_dtype(self, ndim), kCpu, format);
  const Tensor indices = make_empty(sizes, DType::Int64, kCpu, format);
  if (values.numel() != 0) write_largest(make_windows(), self, values, indices, format);
  return {as_result(values, self.dtype(), format), indices};
}

// The indices that go with a gradient of `sizes`: int64, of the same sizes. TypeError, ValueError.
void check_indices(const char* who, const Tensor& indices, std::span<const SymInt> sizes);

// The gradient of `self`, zeros but where `indices` point, of its sizes and in the format; planes
// are the last `ndim` dimensions. IndexError.
[[nodiscard]] Tensor scatter_gradient(const char* who, const Tensor& grad, const Tensor& self,
                                      const Tensor& indices, size_t ndim, MemoryFormat format);

}  // namespace opwright
