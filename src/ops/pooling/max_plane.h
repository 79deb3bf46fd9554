// The largest element of each window of a plane, and its index.
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

// The dtype in which maxima of planes of `self` are computed.
[[nodiscard]] DType max_dtype(const Tensor& self, size_t ndim);

// Writes values and indices in their plane to nonempty tensors that are dense in the format, of
// max_dtype and int64. The first of equal elements is chosen, but the last NaN, as in PyTorch.
void write_largest(const LinearMap& windows, const Tensor& self, const Tensor& values,
                   const Tensor& indices, MemoryFormat format);

// The same as new tensors of `sizes`. make_windows() builds the windows, one per result, after the
// tensors were allocated.
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

// Checks the indices for a gradient of `sizes`: int64, of the same sizes. TypeError, ValueError.
void check_indices(const char* who, const Tensor& indices, std::span<const SymInt> sizes);

// The gradient of `self`, zero except where `indices` point, with its sizes and in the format;
// planes are the last `ndim` dimensions. IndexError.
[[nodiscard]] Tensor scatter_gradient(const char* who, const Tensor& grad, const Tensor& self,
                                      const Tensor& indices, size_t ndim, MemoryFormat format);

}  // namespace opwright
