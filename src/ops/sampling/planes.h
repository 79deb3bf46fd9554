// Operators on planes: the last dimensions of a tensor, processed for each index of the leading
// ones (batch and channels).
//
// Kernels compute on dense memory; the result then gets the same memory format as in PyTorch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/fake_tensor.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/view.h"

namespace opwright {

// Parallel loop over planes; `elements` is the cost of one plane in elements.
template <class Body>
void for_each_plane(int64_t planes, int64_t elements, const Body& body) {
  constexpr int64_t kGrain = 16384;  // elements
  parallel_for(planes, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, elements)), body);
}

// `tensor` itself if it is dense in the format, else a dense copy.
[[nodiscard]] inline Tensor in_plane_format(const Tensor& tensor, MemoryFormat format) {
  if (is_contiguous(tensor.sizes(), tensor.strides(), format)) return tensor;
  Tensor copy = make_empty(tensor.sizes(), tensor.dtype(), kCpu, format);
  copy_elements(copy, tensor);
  return copy;
}
// The number of values stored per position of a plane: the channels, or one.
[[nodiscard]] inline int64_t lanes_of(const Tensor& tensor, MemoryFormat format) {
  return format == MemoryFormat::Contiguous ? 1 : tensor.size(1);
}
// Copies the contiguous `computed` to the strides of the format.
[[nodiscard]] inline Tensor lay_out(const Tensor& computed, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous) return computed;
  Tensor result = make_empty(computed.sizes(), computed.dtype(), kCpu, format);
  copy_elements(result, computed);
  return result;
}
// Converts `computed`, which is dense in the format, to the dtype.
[[nodiscard]] inline Tensor as_result(const Tensor& computed, DType dtype, MemoryFormat format) {
  if (computed.dtype() == dtype) return computed;
  Tensor result = make_empty(computed.sizes(), dtype, kCpu, format);
  copy_elements(result, computed);
  return result;
}
[[nodiscard]] inline FakeTensor fake_result(const FakeTensor& self, std::span<const SymInt> sizes,
                                            DType dtype, MemoryFormat format) {
  return make_fake_like(self, sizes, contiguous_strides(sizes, format), dtype);
}

// Sizes as plain ints; they must not be symbolic.
[[nodiscard]] inline Sizes plain_sizes(std::span<const SymInt> sizes) {
  Sizes plain;
  for (const SymInt& size : sizes) plain.push_back(size.specialise());
  return plain;
}
[[nodiscard]] inline SymSizes symbolic_sizes(std::span<const int64_t> sizes) {
  SymSizes symbolic;
  for (const int64_t size : sizes) symbolic.push_back(size);
  return symbolic;
}
[[nodiscard]] inline SymSizes symbolic_sizes(std::span<const SymInt> sizes) {
  return SymSizes(sizes);
}

// Checks for `ndim` plane dimensions after channels and an optional batch, with no empty dimension
// but the batch.
inline void check_planes(const char* who, const char* name, const SymSizes& sizes, size_t ndim) {
  OPWRIGHT_CHECK(sizes.size() == ndim + 1 || sizes.size() == ndim + 2, who, ": ", name,
                 " must have ", ndim + 1, " or ", ndim + 2, " dimensions, got sizes ",
                 to_text(sizes));
  for (size_t i = sizes.size() == ndim + 2 ? 1 : 0; i < sizes.size(); ++i) {
    check(sizes[i] > 0,
          concatenate(who, ": ", name, " must have no empty dimension but the batch, got sizes ",
                      to_text(sizes)));
  }
}

// Accepts floating dtypes, and others that the operator supports.
inline void check_plane_dtype(const char* who, const char* name, DType dtype,
                              std::initializer_list<DType> others = {}) {
  const bool is_real = is_floating(dtype) && dtype_bits(dtype) >= 16;
  OPWRIGHT_CHECK_TYPE(is_real || std::ranges::find(others, dtype) != others.end(), who, ": ", name,
                      " of ", dtype, " is not supported; give it a floating dtype");
}

// A gradient must have the dtype of the input and the sizes of the result.
inline void check_gradient(const char* who, const Tensor& grad, DType dtype,
                           std::span<const SymInt> sizes) {
  const SymSizes given = sym_geometry_of(grad).sizes;
  OPWRIGHT_CHECK_TYPE(grad.dtype() == dtype, who, ": grad_output of ", grad.dtype(),
                      " must have the dtype of the input, ", dtype);
  const std::string problem = concatenate(who, ": grad_output must have the sizes ", to_text(sizes),
                                          " of the result, got ", to_text(given));
  OPWRIGHT_CHECK_VALUE(given.size() == sizes.size(), problem);
  for (size_t i = 0; i < sizes.size(); ++i) check(given[i] == sizes[i], problem);
}

}  // namespace opwright
