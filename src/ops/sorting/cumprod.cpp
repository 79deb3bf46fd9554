// cumprod and logcumsumexp.
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <type_traits>

#include "opwright/for_dtype.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/pointwise/math_function.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/sorting/scan.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// Running products have a wider type than the results; ints wrap around.
template <class T>
using Product = std::conditional_t<std::is_integral_v<T>, uint64_t,
                                   std::conditional_t<kIsComplex<T>, Complex<double>, double>>;

DType product_dtype(DType input, const std::optional<DType>& asked) {
  if (asked == DType::Bool) throw_dtype(*asked, "cumprod", "all others as dtype");
  if (asked) return *asked;
  return is_integral(input) || input == DType::Bool ? DType::Int64 : input;
}

void check_logarithms(DType dtype) {
  if ((!is_floating(dtype) && !is_complex(dtype)) || dtype_bits(dtype) == 8)
    throw_dtype(dtype, "logcumsumexp", "floating and complex dtypes");
}

size_t check_dim(const char* who, int64_t dim, int64_t ndim) {
  return wrap_dim(dim, static_cast<size_t>(std::max<int64_t>(ndim, 1)), who);
}

double add_logarithms(double sum, double x) {
  if (std::isnan(sum) || std::isnan(x)) return sum + x;
  const double larger = std::max(sum, x);
  const double smaller = std::min(sum, x);
  if (std::isinf(larger)) return larger;
  return larger + std::log1p(std::exp(smaller - larger));
}

Complex<double> add_logarithms(Complex<double> sum, Complex<double> x) {
  const auto is_nan = [](Complex<double> z) { return std::isnan(z.real) || std::isnan(z.imag); };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (is_nan(sum) || is_nan(x)) return {kNan, kNan};
  const Complex<double> larger = sum.real < x.real ? x : sum;
  const Complex<double> smaller = sum.real < x.real ? sum : x;
  if (smaller.real == larger.real && std::isinf(larger.real)) {
    if (larger.real < 0) return smaller;  // log(0): its phase is meaningless
    return from_standard(std::log(std::exp(to_standard(larger)) + std::exp(to_standard(smaller))));
  }
  const auto share = std::exp(to_standard(smaller - larger));
  return larger + from_standard(std::log(1.0 + share));
}

// A dense copy of `self` in the dtype of the result, halves as float32.
Tensor copy_for_scan(const Tensor& self, DType result) {
  Tensor copy = make_empty(self.sizes(), is_half(result) ? DType::Float32 : result);
  copy_elements(copy, is_half(result) ? as_dtype(self, result) : self);
  return copy;
}

struct ScanSizes {
  int64_t outer = 1, length = 1, inner = 1;
};
ScanSizes find_sizes(const Tensor& tensor, size_t along) {
  const auto sizes = tensor.sizes();
  if (sizes.empty()) return {};
  return {product(sizes.first(along)), sizes[along], product(sizes.subspan(along + 1))};
}

}  // namespace

Tensor cumprod_cpu(const Tensor& self, int64_t dim, const std::optional<DType>& dtype) {
  const size_t along = check_dim("cumprod", dim, self.dim());
  const DType result = product_dtype(self.dtype(), dtype);
  const Tensor memory = copy_for_scan(self, result);
  if (memory.numel() == 0) return as_dtype(memory, result);
  const ScanSizes sizes = find_sizes(memory, along);
  for_dtype(memory.dtype(), "cumprod", [&]<typename T>() {
    if constexpr (!kIsHalf<T> && !kIsBool<T>)
      scan_along(memory.mutable_data<T>(), sizes.outer, sizes.length, sizes.inner, Product<T>(1),
                 [](Product<T> so_far, Product<T> x) { return so_far * x; });
  });
  return as_dtype(memory, result);
}
FakeTensor cumprod_fake(const FakeTensor& self, int64_t dim, const std::optional<DType>& dtype) {
  (void)check_dim("cumprod", dim, self.dim());
  return make_fake_like(self, self.sizes(), product_dtype(self.dtype(), dtype));
}

Tensor logcumsumexp_cpu(const Tensor& self, int64_t dim) {
  const size_t along = check_dim("logcumsumexp", dim, self.dim());
  check_logarithms(self.dtype());
  const Tensor memory = copy_for_scan(self, self.dtype());
  if (memory.numel() == 0) return as_dtype(memory, self.dtype());
  const ScanSizes sizes = find_sizes(memory, along);
  for_dtype(memory.dtype(), "logcumsumexp", [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T> || kIsComplex<T>) {
      using Wide = std::conditional_t<kIsComplex<T>, Complex<double>, double>;
      scan_along(memory.mutable_data<T>(), sizes.outer, sizes.length, sizes.inner,
                 Wide(-std::numeric_limits<double>::infinity()),
                 [](Wide sum, Wide x) { return add_logarithms(sum, x); });
    }
  });
  return as_dtype(memory, self.dtype());
}
FakeTensor logcumsumexp_fake(const FakeTensor& self, int64_t dim) {
  (void)check_dim("logcumsumexp", dim, self.dim());
  check_logarithms(self.dtype());
  return make_fake_like(self, self.sizes(), self.dtype());
}

}  // namespace opwright
