// npu::npu_add_custom on the CPU.
#include <cstdint>

#include "opwright/opwright.h"

namespace {

using opwright::Tensor;

Tensor npu_add_custom(const Tensor& x, const Tensor& y) {
  OPWRIGHT_CHECK_VALUE(x.dtype() == y.dtype(), "npu_add_custom: x is ", x.dtype(), ", y is ",
                       y.dtype(), "; they must be the same");
  const Tensor left = x.contiguous();
  const Tensor right = y.expand_as(x).contiguous();
  Tensor result = opwright::empty_like(left);
  opwright::for_floating_dtype(left.dtype(), "npu_add_custom", [&]<typename T>() {
    const T* a = left.data<T>();
    const T* b = right.data<T>();
    T* sum = result.mutable_data<T>();
    opwright::parallel_for(left.numel(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sum[i] = a[i] + b[i];
    });
  });
  return result;
}

}  // namespace

OPWRIGHT_LIBRARY_IMPL(npu, CPU, m) { m.impl("npu_add_custom", &npu_add_custom); }
