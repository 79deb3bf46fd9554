// Lines of a tensor along one dimension, and the order of their elements for sort and topk.
// Not-a-number comes after every number.
#pragma once

#include <cstdint>
#include <type_traits>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/cpu/numbers.h"
#include "opwright/tensor.h"

namespace opwright {

// Whether a comes before b, from the smallest on.
template <class C>
bool is_before(C a, C b) {
  if constexpr (std::is_floating_point_v<C>)
    return a < b || (b != b && a == a);
  else
    return a < b;
}

// An element and where it stood.
template <class C>
struct Placed {
  C value;
  int64_t index;
};

// Every dtype with an order.
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

// Where line i of `tensor` along `dim` begins, the last dimension fastest.
inline int64_t offset_of_line(const Tensor& tensor, size_t dim, int64_t i) {
  int64_t offset = 0;
  for (size_t d = tensor.sizes().size(); d-- > 0;) {
    if (d == dim) continue;
    offset += i % tensor.sizes()[d] * tensor.strides()[d];
    i /= tensor.sizes()[d];
  }
  return offset;
}

}  // namespace opwright
