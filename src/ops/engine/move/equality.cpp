// equal and allclose: whether two tensors agree in every element, as one bool.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/strided_loop.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Whether agree(a[i], b[i]) holds for all elements of two contiguous tensors of equal size.
template <class T, class Agree>
bool agree_everywhere(const Tensor& a, const Tensor& b, const Agree& agree) {
  if (a.numel() == 0) return true;
  const T* x = a.data<T>();
  const T* y = b.data<T>();
  std::atomic<bool> result{true};
  parallel_for(a.numel(), kElementwiseGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (agree(x[i], y[i])) continue;
      result.store(false, std::memory_order_relaxed);
      return;
    }
  });
  return result;
}

// The type in which differences are computed.
template <class T>
using WideType = std::conditional_t<kIsComplex<T>, Complex<double>, double>;

double magnitude(double x) { return std::abs(x); }
double magnitude(Complex<double> x) { return std::hypot(x.real, x.imag); }

template <class T>
bool is_nan(T value) {
  return !(value == value);
}

}  // namespace

bool equal_cpu(const Tensor& self, const Tensor& other) {
  if (self.dtype() != other.dtype() || !std::ranges::equal(self.sizes(), other.sizes()))
    return false;
  return for_dtype(self.dtype(), "equal", [&]<typename T>() {
    using C = ComputeType<T>;
    return agree_everywhere<T>(as_contiguous(self), as_contiguous(other),
                               [](C x, C y) { return x == y; });
  });
}

bool allclose_cpu(const Tensor& self, const Tensor& other, double rtol, double atol,
                  bool equal_nan) {
  OPWRIGHT_CHECK_TYPE(self.dtype() == other.dtype(),
                      "allclose: both tensors must have one dtype, got self of ", self.dtype(),
                      " and other of ", other.dtype(), "; convert one of them first");
  OPWRIGHT_CHECK_VALUE(rtol >= 0 && atol >= 0, "allclose: rtol and atol must not be negative, got ",
                       rtol, " and ", atol);
  const Sizes sizes = broadcast_sizes(self.sizes(), other.sizes(), "allclose");
  const auto expanded = [&](const Tensor& tensor) {
    return as_contiguous(
        make_view(tensor, expand_geometry<int64_t>(geometry_of(tensor), sizes, "allclose")));
  };
  return for_dtype(self.dtype(), "allclose", [&]<typename T>() {
    using C = ComputeType<T>;
    return agree_everywhere<T>(expanded(self), expanded(other), [&](C x, C y) {
      if (x == y) return true;  // also for two infinities
      if (is_nan(x) || is_nan(y)) return equal_nan && is_nan(x) && is_nan(y);
      const auto wide_x = convert_number<WideType<T>>(x);
      const auto wide_y = convert_number<WideType<T>>(y);
      const double difference = magnitude(wide_x - wide_y);
      return std::isfinite(difference) && difference <= atol + rtol * magnitude(wide_y);
    });
  });
}

}  // namespace opwright
