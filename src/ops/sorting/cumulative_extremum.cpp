// cummax and cummin: the largest or smallest element so far along a dimension, the last of equal
// ones, and its index.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "opwright/base/thread_pool.h"
#include "opwright/dtype.h"
#include "opwright/for_dtype.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/sorting/order.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Whether `element` replaces `found`. NaN replaces everything.
template <class C, bool kIsLargest>
bool replaces(C element, C found) {
  const bool is_beyond = kIsLargest ? element >= found : element <= found;
  return is_beyond || element != element;
}

template <class T, bool kIsLargest>
void scan_line(const T* in, T* values, int64_t* indices, int64_t length) {
  using C = ComputeType<T>;
  C found = static_cast<C>(in[0]);
  int64_t place = 0;
  for (int64_t k = 0; k < length; ++k) {
    const C element = static_cast<C>(in[k]);
    const bool is_next = replaces<C, kIsLargest>(element, found);
    found = is_next ? element : found;
    place = is_next ? k : place;
    values[k] = static_cast<T>(found);
    indices[k] = place;
  }
}

// Row k of [length, inner] from row k - 1.
template <class T, bool kIsLargest>
void scan_rows(const T* in, T* values, int64_t* indices, int64_t length, int64_t inner) {
  using C = ComputeType<T>;
  std::copy(in, in + inner, values);
  std::fill(indices, indices + inner, 0);
  for (int64_t k = 1; k < length; ++k) {
    const T* row = in + k * inner;
    const int64_t before = (k - 1) * inner;
    for (int64_t i = 0; i < inner; ++i) {
      const C element = static_cast<C>(row[i]);
      const C found = static_cast<C>(values[before + i]);
      const bool is_next = replaces<C, kIsLargest>(element, found);
      values[before + inner + i] = is_next ? row[i] : values[before + i];
      indices[before + inner + i] = is_next ? k : indices[before + i];
    }
  }
}

template <bool kIsLargest>
std::tuple<Tensor, Tensor> scan_extremum(const char* who, const Tensor& self, int64_t dim) {
  const size_t along = wrap_dim(dim, static_cast<size_t>(std::max<int64_t>(self.dim(), 1)), who);
  const Tensor dense = as_contiguous(self);
  Tensor values = make_empty(self.sizes(), self.dtype());
  Tensor indices = make_empty(self.sizes(), DType::Int64);
  const bool is_scalar = self.dim() == 0;
  const int64_t length = is_scalar ? 1 : self.sizes()[along];
  const int64_t inner = is_scalar ? 1 : product(self.sizes().subspan(along + 1));
  for_ordered_dtype(self.dtype(), who, [&]<typename T>() {
    if (self.numel() == 0) return;
    constexpr int64_t kGrain = 32768;  // elements
    const int64_t width = length * inner;
    const T* in = dense.data<T>();
    T* out = values.mutable_data<T>();
    auto* places = indices.mutable_data<int64_t>();
    parallel_for(self.numel() / width, std::max<int64_t>(1, kGrain / width),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     const int64_t at = i * width;
                     if (inner == 1)
                       scan_line<T, kIsLargest>(in + at, out + at, places + at, length);
                     else
                       scan_rows<T, kIsLargest>(in + at, out + at, places + at, length, inner);
                   }
                 });
  });
  return {std::move(values), std::move(indices)};
}

std::tuple<FakeTensor, FakeTensor> fake_extremum(const char* who, const FakeTensor& self,
                                                 int64_t dim) {
  (void)wrap_dim(dim, static_cast<size_t>(std::max<int64_t>(self.dim(), 1)), who);
  if (is_complex(self.dtype())) throw_dtype(self.dtype(), who, "dtypes with an order");
  return {make_fake_like(self, self.sizes(), self.dtype()),
          make_fake_like(self, self.sizes(), DType::Int64)};
}

}  // namespace

std::tuple<Tensor, Tensor> cummax_cpu(const Tensor& self, int64_t dim) {
  return scan_extremum<true>("cummax", self, dim);
}
std::tuple<FakeTensor, FakeTensor> cummax_fake(const FakeTensor& self, int64_t dim) {
  return fake_extremum("cummax", self, dim);
}
std::tuple<Tensor, Tensor> cummin_cpu(const Tensor& self, int64_t dim) {
  return scan_extremum<false>("cummin", self, dim);
}
std::tuple<FakeTensor, FakeTensor> cummin_fake(const FakeTensor& self, int64_t dim) {
  return fake_extremum("cummin", self, dim);
}

Tensor cummaxmin_backward_composite(const Tensor& grad, const Tensor& input, const Tensor& indices,
                                    int64_t dim) {
  return zeros_like(input, grad.dtype()).scatter_add(dim, indices, grad);
}

}  // namespace opwright
