// neg, abs, sin, cos, exp, reciprocal, logical_not.
#include <cmath>
#include <complex>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/cpu/apply.h"
#include "opwright/ops/cpu/copy.h"
#include "opwright/ops/cpu/numbers.h"
#include "opwright/ops/elementwise_shape.h"
#include "opwright/ops/promotion.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

// std::complex has the functions; Complex has the layout.
template <class C>
auto to_std(C value) {
  if constexpr (kIsComplex<C>)
    return std::complex(value.real, value.imag);
  else
    return value;
}
template <class R>
R from_std(R value) {
  return value;
}
template <class R>
Complex<R> from_std(std::complex<R> value) {
  return {value.real(), value.imag()};
}

Tensor make_output(const Tensor& input, DType dtype) {
  return make_empty_strided(input.sizes(), elementwise_strides(input.sizes(), {&input}), dtype);
}

// A function of the mathematics: ints are computed as floats.
template <class Function>
Tensor compute_inexact(const char* who, const Tensor& self, const Function& function) {
  const Tensor input = as_dtype(self, inexact_dtype(self.dtype()));
  Tensor output = make_output(input, input.dtype());
  for_inexact_dtype(input.dtype(), who, [&]<typename T>() {
    using C = ComputeType<T>;
    apply_unary<T, T>(output, input, [&](T x) {
      return static_cast<T>(from_std(function(to_std(static_cast<C>(x)))));
    });
  });
  return output;
}

}  // namespace

Tensor sin_cpu(const Tensor& self) {
  return compute_inexact("sin", self, [](auto x) { return std::sin(x); });
}
Tensor cos_cpu(const Tensor& self) {
  return compute_inexact("cos", self, [](auto x) { return std::cos(x); });
}
Tensor exp_cpu(const Tensor& self) {
  return compute_inexact("exp", self, [](auto x) { return std::exp(x); });
}
Tensor reciprocal_cpu(const Tensor& self) {
  return compute_inexact("reciprocal", self, [](auto x) {
    using C = decltype(from_std(x));
    return to_std(divide(C(1), from_std(x)));
  });
}

Tensor neg_cpu(const Tensor& self) {
  OPWRIGHT_CHECK(self.dtype() != DType::Bool,
                 "neg: a bool tensor has no negative; use logical_not to invert it");
  Tensor output = make_output(self, self.dtype());
  for_dtype(self.dtype(), "neg", [&]<typename T>() {
    using C = ComputeType<T>;
    apply_unary<T, T>(output, self, [](T x) {
      if constexpr (kIsInt<T>)
        return wrap_sub(T(0), x);
      else
        return static_cast<T>(-static_cast<C>(x));
    });
  });
  return output;
}

Tensor abs_cpu(const Tensor& self) {
  OPWRIGHT_CHECK(self.dtype() != DType::Bool, "abs: a bool tensor has no absolute value");
  Tensor output = make_output(self, real_dtype(self.dtype()));
  for_dtype(self.dtype(), "abs", [&]<typename T>() {
    if constexpr (kIsComplex<T>) {
      using R = decltype(T{}.real);
      apply_unary<R, T>(output, self, [](T x) { return std::abs(to_std(x)); });
    } else if constexpr (std::is_unsigned_v<T>) {
      copy_elements(output, self);
    } else {
      using C = ComputeType<T>;
      apply_unary<T, T>(output, self, [](T x) {
        if constexpr (kIsInt<T>)
          return x < 0 ? wrap_sub(T(0), x) : x;
        else
          return static_cast<T>(std::abs(static_cast<C>(x)));
      });
    }
  });
  return output;
}

Tensor logical_not_cpu(const Tensor& self) {
  Tensor output = make_output(self, DType::Bool);
  for_dtype(self.dtype(), "logical_not", [&]<typename T>() {
    apply_unary<bool, T>(output, self, [](T x) { return !convert_number<bool>(x); });
  });
  return output;
}

}  // namespace opwright
