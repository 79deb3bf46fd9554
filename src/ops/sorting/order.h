// Lines of a tensor along one dimension, and the order of their elements for sort and topk. NaN
// comes after every number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/tensor.h"

namespace opwright {

// Whether a comes before b in ascending order.
template <class C>
bool is_before(C a, C b) {
  if constexpr (std::is_floating_point_v<C>)
    return a < b || (b != b && a == a);
  else
    return a < b;
}

// An element and its original index.
template <class C>
struct Placed {
  C value;
  int64_t index;
};

// All dtypes with an order.
template <class Body>
void for_ordered_dtype(DType dtype, const char* who, const Body& body) {
  if (is_complex(dtype)) throw_dtype(dtype, who, "dtypes with an order");
  for_dtype(dtype, who, [&]<typename T>() {
    if constexpr (!kIsComplex<T>) body.template operator()<T>();
  });
}

// Elements `stride` apart. A zero-dim tensor is one line of one element.
struct Line {
  int64_t size;
  int64_t stride;

  static Line along(const Tensor& tensor, size_t dim) {
    if (tensor.dim() == 0) return {1, 1};
    return {tensor.sizes()[dim], tensor.strides()[dim]};
  }
};

// The offset of line i of `tensor` along `dim`, last dimension fastest.
inline int64_t offset_of_line(const Tensor& tensor, size_t dim, int64_t i) {
  int64_t offset = 0;
  for (size_t d = tensor.sizes().size(); d-- > 0;) {
    if (d == dim) continue;
    offset += i % tensor.sizes()[d] * tensor.strides()[d];
    i /= tensor.sizes()[d];
  }
  return offset;
}

// Calls body(i, elements) for line i of the nonempty `self`, with a buffer for one line.
template <class C, class Body>
void for_each_line(const Tensor& self, size_t dim, const Body& body) {
  constexpr int64_t kGrain = 4096;  // elements
  const Line line = Line::along(self, dim);
  parallel_for(self.numel() / line.size, std::max<int64_t>(1, kGrain / line.size),
               [&](int64_t begin, int64_t end) {
                 std::vector<Placed<C>> elements(static_cast<size_t>(line.size));
                 for (int64_t i = begin; i < end; ++i) body(i, elements);
               });
}

// Reads the first `count` elements of a line, in order.
template <class T, class C>
void read_line(const T* in, Line line, std::vector<Placed<C>>& elements, int64_t count) {
  for (int64_t k = 0; k < count; ++k)
    elements[static_cast<size_t>(k)] = {static_cast<C>(in[k * line.stride]), k};
}

// Writes line i of the results: the first entries of `elements`, taken from `in`.
template <class T, class C>
void write_line(const Tensor& values, const Tensor& indices, size_t dim, int64_t i, const T* in,
                Line from, const std::vector<Placed<C>>& elements) {
  const Line to = Line::along(values, dim);
  const int64_t offset = offset_of_line(values, dim, i);
  T* out = values.mutable_data<T>() + offset;
  int64_t* index = indices.mutable_data<int64_t>() + offset;
  for (int64_t k = 0; k < to.size; ++k) {
    const Placed<C>& element = elements[static_cast<size_t>(k)];
    out[k * to.stride] = in[element.index * from.stride];
    index[k * to.stride] = element.index;
  }
}

}  // namespace opwright
